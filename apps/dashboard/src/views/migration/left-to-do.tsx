import { type ClusterRequest, type MigrationIndices, type MigrationStatus, tasksAfter } from '@aosc/client';

/** What is left to do after an end, from what the cluster has now. */
export function LeftToDo({
  status,
  now,
  hasRequests = false,
}: {
  readonly status: MigrationStatus;
  /** undefined: it was not asked yet */
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

/** As OpenSearch's documentation writes requests, and its console takes them. */
const asText = ({ method, path, body }: ClusterRequest): string =>
  `${method} ${path}${body === undefined ? '' : `\n${body}`}`;
