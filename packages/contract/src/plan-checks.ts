interface CheckText {
  /** what it says when it found nothing */
  readonly ok: string;
  /** what to do when it found something */
  readonly remedy: string;
}

/** All that a start and a plan look at, in the order of the answer. An id never gets another meaning. */
export const planChecks = {
  'request.form': { ok: 'The request is well formed.', remedy: 'Correct the fields that it names.' },
  'query.permitted': {
    ok: 'The validation query may be sent.',
    remedy: 'Give a shorter query, without scripts and other indices.',
  },
  'cluster.kind': {
    ok: 'The cluster is an OpenSearch.',
    remedy: 'Use an OpenSearch of docs/reference/versions.md.',
  },
  'source.index': {
    ok: 'The source is an open index.',
    remedy: 'Name an open index that is no alias and does not belong to a data stream.',
  },
  'service.privileges': {
    ok: 'The user of the service has the privileges that it needs.',
    remedy: 'Give the user the role of docs/how-to/opensearch-user.md.',
  },
  'indices.in_use': {
    ok: 'No other migration uses the indices.',
    remedy: 'Wait until that migration has ended, or cancel it.',
  },
  'options.permitted': {
    ok: 'The options may be used.',
    remedy: 'Leave out the setting that it names, or ask an administrator.',
  },
  'target.files': {
    ok: 'The target can be made of the files of the source.',
    remedy: 'Remove what is in the way, or set options.copy to [documents].',
  },
  'target.index': {
    ok: 'The target is an open index.',
    remedy: 'Create the target with _create_target, or name an open index.',
  },
  'plan.unchanged': {
    ok: 'Nothing that the plan saw has changed.',
    remedy: 'Make a new plan, and start with its id.',
  },
  'shards.consent': {
    ok: 'Custom routing is kept.',
    remedy:
      'Give the target the same number of shards, or a multiple that fits; or set options.accept_data_loss_if_custom_routing_is_used.',
  },
  'shards.primaries': {
    ok: 'All primaries are active.',
    remedy: 'Wait until all primaries are active; GET _cluster/allocation/explain says what they wait for.',
  },
  'alias.free': {
    ok: 'No other index has the alias.',
    remedy: 'Choose another alias, or take it away from the other index.',
  },
  'shards.topology': {
    ok: 'Documents of one source shard stay together.',
    remedy: 'Create the target again with the routing shards and the partition size of the source.',
  },
  'index.blocks': { ok: 'No block is in the way.', remedy: 'Remove the block.' },
  'target.durability': {
    ok: 'The target syncs what it acknowledges.',
    remedy: 'Set index.translog.durability of the target to [request].',
  },
  'index.kind': {
    ok: 'Both indices are of a kind that can be copied exactly.',
    remedy: 'Choose an index without the setting that it names.',
  },
  'index.source_field': {
    ok: 'Both indices keep the whole _source.',
    remedy: 'Use a source and a target whose mappings keep all of _source.',
  },
  'alias.filter': {
    ok: 'The target takes the filter of the alias.',
    remedy: 'Map the fields of the filter in the target.',
  },
  'cluster.snapshots': {
    ok: 'A point in time on the source can be opened and searched.',
    remedy: 'Use OpenSearch 2.9 or later, and raise [point_in_time.max_keep_alive] where it is named.',
  },
  'cluster.buckets': {
    ok: 'Searches may return enough buckets.',
    remedy: 'Raise [search.max_buckets].',
  },
  'script.runs': {
    ok: 'The script runs on documents of the source, or there is none.',
    remedy: 'Correct the script; _preview_transform shows what it does.',
  },
  'target.empty': { ok: 'The target is empty.', remedy: 'Use an empty target.' },
  'query.counts': {
    ok: 'The validation query counts on both indices, or there is none.',
    remedy: 'Correct the query.',
  },
  'limits.migrations': {
    ok: 'The caller may have one more migration run.',
    remedy: 'Wait until one has ended, or ask an administrator.',
  },
  'cluster.snapshot_room': {
    ok: 'The nodes have room for the points in time.',
    remedy: 'Raise [search.max_open_pit_context], or wait until others are closed.',
  },
  'target.pipelines': {
    ok: 'The cluster has the pipelines of the target, which are those of the source.',
    remedy: 'Put the pipeline, or set in the target what writes shall go through after the swap.',
  },
  'alias.on_source': {
    ok: 'The alias is on the source, or the swap may create it.',
    remedy: 'Name the alias that applications use, or set options.create_alias.',
  },
  'service.queue': { ok: 'Redis answers.', remedy: 'See GET /readyz.' },
  'service.records': { ok: 'The records can be written.', remedy: 'Remove the block that it names.' },
  'alias.left_behind': {
    ok: 'The source has no other alias.',
    remedy: 'Move the other aliases after the swap: applications that use them stay on the source.',
  },
  'alias.rollover': {
    ok: 'The source is no write index that is rolled over.',
    remedy: 'Stop the rollover until the swap is done; then give the target a name that ends in a number.',
  },
  'source.lifecycle': {
    ok: 'No lifecycle policy acts on the source.',
    remedy:
      'Take the policy away from the source until the migration has ended, and add it to the target afterwards.',
  },
  'source.templates': {
    ok: 'The same index templates match both names.',
    remedy:
      'Compare the differences; choose a name that the templates match, or set in the target what they would.',
  },
  'target.mapping': {
    ok: 'The target maps all fields of the source in the same way.',
    remedy: 'Map the fields in the target, or make sure that queries may answer otherwise on them.',
  },
  'target.settings': {
    ok: 'Analysis, similarity, order and limits are those of the source.',
    remedy: 'Set them in the target, or make sure that searches and writes may behave otherwise.',
  },
  'target.copies': {
    ok: 'All copies of the target have a node.',
    remedy:
      'Lower index.number_of_replicas of the target, or add nodes: the migration waits for a green target.',
  },
  'cluster.disk': {
    ok: 'The disks have room for a copy of the source.',
    remedy: 'Free or add disk space before you start.',
  },
  'cluster.shard_room': {
    ok: 'The cluster may hold more shards.',
    remedy: 'Delete indices that are not used any more, or raise [cluster.max_shards_per_node].',
  },
  'cluster.allocation': {
    ok: 'The cluster allocates shards.',
    remedy: 'Set [cluster.routing.allocation.enable] back to null.',
  },
  'query.matches': {
    ok: 'The validation query matches documents of the source, or there is none.',
    remedy: 'Correct the query: counts of nothing are always equal.',
  },
  'cutover.moment': {
    ok: 'The cutover can begin as soon as the copy is close enough.',
    remedy: 'Check cutover_not_before and cutover_windows.',
  },
  'documents.read': {
    ok: 'Documents of the source could be tried.',
    remedy:
      'Let the cluster allocate shards, give the user of the service the privileges of docs/reference/plan.md, or plan with documents: 0.',
  },
  'documents.script': {
    ok: 'The script runs on all documents that were tried.',
    remedy: 'Let the script handle such documents.',
  },
  'documents.ids': {
    ok: 'The script gives no two documents one id.',
    remedy: 'Build ids from what tells documents apart.',
  },
  'documents.fit': {
    ok: 'An index like the target takes all documents that were tried.',
    remedy: 'Change the mapping of the target, or the documents by a script.',
  },
  'documents.routing': {
    ok: 'No document that was tried has a routing of its own.',
    remedy: 'Give the target a multiple of shards: two documents of one id can not both live in one shard.',
  },
  'cutover.pause': {
    ok: 'The pause fits into max_pause_ms.',
    remedy: 'Raise max_pause_ms, or start while fewer writes come.',
  },
} as const satisfies Readonly<Record<string, CheckText>>;

export type PlanCheckId = keyof typeof planChecks;

/** In the order of the table. */
export const planCheckIds = Object.keys(planChecks) as readonly PlanCheckId[];
