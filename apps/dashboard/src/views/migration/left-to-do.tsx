import { type ClusterRequest, type MigrationIndices, type MigrationStatus, tasksAfter } from '@aosc/client';

/** What is left to do after the end, from what the cluster has now. */
export function LeftToDo({
  status,
  now,
  hasRequests = false,
}: {
  readonly status: MigrationStatus;
  /** undefined: no answer yet */
  readonly now: MigrationIndices | undefined;
  /** with the requests that do it */
  readonly hasRequests?: boolean;
}) {
  if (now === undefined) return <p className="quiet">Asking the cluster…</p>;
  const tasks = tasksAfter(status, now);
  if (tasks.length === 0) return <p>Nothing.</p>;
  return (
    <ul className="stack-small">
      {tasks.map(({ text, request }) => (
        <li key={text}>
          {text}
          {hasRequests && request !== undefined && <pre tabIndex={0}>{asText(request)}</pre>}
        </li>
      ))}
    </ul>
  );
}

/** In the form of OpenSearch's documentation, which its console accepts. */
const asText = ({ method, path, body }: ClusterRequest): string =>
  `${method} ${path}${body === undefined ? '' : `\n${body}`}`;
