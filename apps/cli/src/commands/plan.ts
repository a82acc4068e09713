import type { Plan } from '@aosc/client';
import { withHints } from '../failure';
import type { Paint, Tone } from '../output/paint';
import { formatBytes, formatSeconds, group, plain, table, toJson } from '../output/text';
import type { Action } from '../session';
import { readStartRequest } from './start-request';

/** `aosc plan <source> <target>` */
export const planAction: Action = async (session, [source = '', target = '']) => {
  const [documents, seconds] = [session.flags.number('documents'), session.flags.number('seconds')];
  const request = {
    ...readStartRequest(session.flags, target),
    ...(documents !== undefined && { documents }),
    ...(seconds !== undefined && { seconds }),
  };
  const { signal } = session.shell;
  const plan = await session.send((client) => client.plan(source, request, { signal }));
  if (plan === undefined) return 'done';
  session.print(plan, () => renderPlan(plan, session.paint, session.format === 'wide'));
  return plan.verdict === 'refuse' ? 'unhealthy' : 'done';
};

const marks: Readonly<Record<string, readonly [mark: string, tone: Tone]>> = {
  ok: ['ok', 'good'],
  warn: ['warn', 'warn'],
  refuse: ['refuse', 'bad'],
};

/** What was found, the differences of the target, the estimates, and a sum. @param isWide also the checks that found nothing, and how each estimate was found */
function renderPlan(plan: Plan, paint: Paint, isWide: boolean): readonly string[] {
  const count = (verdict: string) => plan.checks.filter((check) => check.verdict === verdict).length;
  const [source, target, alias] = [plan.source_index, plan.target_index, plan.alias].map(plain);
  return [
    `${source} -> ${target}, alias ${alias}`,
    ...plan.checks
      .filter(({ verdict }) => isWide || verdict !== 'ok')
      .flatMap(({ id, verdict, evidence, remedy }) => {
        const [mark, tone] = marks[verdict] ?? [verdict, 'dim'];
        const line = `${paint(tone, mark.padEnd(6))} ${id.padEnd(20)} ${plain(withHints(evidence, evidence))}`;
        return remedy === undefined ? [line] : [line, `       -> ${plain(remedy)}`];
      }),
    ...table(plan.differences.map(describeDifference)),
    ...(plan.differences_truncated ? ['there are more differences than are listed'] : []),
    ...describeDocuments(plan.documents),
    ...table(describeEstimates(plan.estimates, isWide)),
    `Plan: ${count('ok')} fine, ${count('warn')} to look at, ${count('refuse')} in the way.`,
    ...(plan.verdict === 'refuse'
      ? []
      : [`To start just this: the same options with --plan ${plan.plan_id}`]),
  ];
}

/** `+` the target adds it, `-` it lacks it, `~` it has another value. */
function describeDifference({ path, source, target }: Plan['differences'][number]): readonly string[] {
  const show = (value: unknown): string => plain(toJson(value));
  if (source === undefined) return [`+ ${plain(path)}`, show(target)];
  if (target === undefined) return [`- ${plain(path)}`, show(source)];
  return [`~ ${plain(path)}`, `${show(source)} -> ${show(target)}`];
}

/** What the trial has shown; the checks name the documents that were refused. */
function describeDocuments(documents: Plan['documents']): readonly string[] {
  if (documents === undefined) return [];
  const { looked_at: count, refused, script } = documents;
  const sum = (groups: NonNullable<typeof refused>) => groups.reduce((all, one) => all + one.count, 0);
  return [
    `Documents tried: ${group(count)}${refused === undefined ? '' : `, refused by the target: ${group(sum(refused))}`}`,
    ...(script === undefined
      ? []
      : [
          `The script changes ${group(script.changed)}, renames ${group(script.renamed)}, fails on ${group(sum(script.failed))}`,
          ...script.fields.map(
            ({ field, added, changed, removed }) =>
              `  ${plain(field)}: added ${group(added)}, changed ${group(changed)}, removed ${group(removed)}`,
          ),
        ]),
  ];
}

function describeEstimates(estimates: Plan['estimates'], isWide: boolean): readonly (readonly string[])[] {
  const { documents, bytes, disk_bytes: disk, seconds, pause_ms: pause } = estimates ?? {};
  const row = (what: string, from: typeof documents, format: (value: number) => string) =>
    from === undefined ? [] : [[what, `~ ${format(from.value)}`, ...(isWide ? [plain(from.how)] : [])]];
  return [
    ...row('documents', documents, group),
    ...row('to copy', bytes, formatBytes),
    ...row('on disk', disk, formatBytes),
    ...row('copy takes', seconds, formatSeconds),
    ...row('writes pause', pause, (ms) => `${group(ms)} ms`),
  ];
}
