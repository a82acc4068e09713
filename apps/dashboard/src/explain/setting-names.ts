/** Titles of the settings of one kind of work, by the part behind `aosc.backfill.` or `aosc.replay.`. */
const ofWork: ReadonlyMap<string, string> = new Map(
  Object.entries({
    max_concurrent_per_node: 'Shards at once per data node',
    'read.page_size': 'Documents per page of a read',
    'controller.type': 'How bulks are sized',
    'controller.concurrency': 'Bulks at once',
    'controller.concurrency.max': 'Bulks at once, at most',
    'controller.concurrency.probe_interval': 'Successes before another bulk at once',
    'controller.concurrency.gradient_threshold': 'Growth of latency that slows it down',
    'controller.batch.size': 'Documents per bulk, fixed',
    'controller.batch.max_docs': 'Documents per bulk, at most',
    'controller.batch.max_bytes': 'Size of a bulk, at most',
    'controller.batch.min_bytes': 'Size of a bulk, at least',
    'controller.batch.start_bytes_per_doc': 'Size of a document, at first',
    'controller.aimd.increase_threshold': 'Successes before bulks grow',
    'controller.aimd.increase_ratio': 'Growth of bulks',
    'controller.aimd.min_step_bytes': 'Growth of bulks, at least',
    'controller.aimd.cooldown_ticks': 'Pause after bulks have shrunk',
    'controller.aimd.trial_revert_threshold': 'Loss of speed that reverts a growth',
    'controller.overload.base_pause': 'First pause after an overload, ms',
    'controller.overload.max_pause': 'Longest pause after an overload, ms',
  }),
);

const others: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'aosc.defaults.convergence_threshold': 'Gap at which a shard has converged',
    'aosc.defaults.max_convergence_rounds': 'Rounds before a shard gives up',
    'aosc.defaults.transient_target_settings': 'Settings of the target while it is filled',
    'aosc.defaults.remove_source_write_block_on_success': 'Lift the write block after the swap',
    'aosc.target.ready_timeout': 'Longest wait for a green target',
    'aosc.cutover.hold_writers': 'Writers wait before they are blocked',
    'aosc.cutover.max_hold': 'Longest wait of writers',
    'aosc.cutover.max_pause': 'Longest pause of writes',
    'aosc.liveness.check_interval': 'How often it looks for lost workers',
    'aosc.liveness.timeout': 'Silence after which a worker is lost',
    'aosc.overload.max_consecutive_failures': 'Overloads in a row that fail a shard',
  }),
);

/** @param name of a setting @returns undefined: this page does not know it, because the API is newer */
export function settingTitle(name: string): string | undefined {
  const [, suffix = ''] = /^aosc\.(?:backfill|replay)\.(.+)$/.exec(name) ?? [];
  return others.get(name) ?? ofWork.get(suffix);
}

export const settingGroups = [
  { title: 'Defaults of a migration', prefixes: ['aosc.defaults.', 'aosc.target.', 'aosc.cutover.'] },
  { title: 'Copy', prefixes: ['aosc.backfill.'] },
  { title: 'Replay', prefixes: ['aosc.replay.'] },
  { title: 'Overload and lost workers', prefixes: ['aosc.overload.', 'aosc.liveness.'] },
] as const;
