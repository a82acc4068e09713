// Made from the OpenAPI document by `npm run generate:client`; a test fails when it is stale.

/** Requests and answers of the API as they are on the wire, by the names of the OpenAPI document. */
export interface Schemas {
  readonly CancelAnswer: {
    readonly accepted: boolean;
    readonly phase: Schemas['MigrationPhase'];
  };
  readonly Counters: {
    /** @enum {string} */
    readonly status: 'NOT_STARTED' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED';
    readonly documents_indexed?: number;
    readonly operations_applied?: number;
    readonly deletes_applied?: number;
    readonly bulk_retries: number;
    readonly rounds: number;
    readonly current_gap: number;
    readonly start_time_millis: number;
    readonly end_time_millis?: number;
  };
  readonly CutoverAnswer: {
    readonly accepted: boolean;
    readonly phase: Schemas['MigrationPhase'];
    readonly cutover: Schemas['CutoverStatus'];
  };
  readonly CutoverAttempt: {
    /** @description epoch ms */
    readonly started_millis: number;
    /**
     * @description put_off: nothing was held or blocked, and the replay went on; undone: it took longer than max_pause_ms or aosc.cutover.max_hold, and writes go on
     * @enum {string}
     */
    readonly outcome: 'running' | 'put_off' | 'undone' | 'swapped' | 'given_up';
    /** @description why it did not lead to the swap */
    readonly reason?: string;
    /** @description how long writes waited before the write block, or before the attempt was undone */
    readonly write_hold_ms?: number;
    /** @description how long writes were refused */
    readonly blocked_ms?: number;
    readonly steps: {
      /** @description rounds that ended, and looks before the write hold or the write block */
      readonly before_block_ms?: number;
      /** @description from the write hold until it is there, or from the write block to its proof */
      readonly confirm_ms?: number;
      /** @description the last round of every shard */
      readonly last_rounds_ms?: number;
      /** @description counts, the last looks, the write block after a hold, and the swap */
      readonly checks_ms?: number;
    };
  };
  readonly CutoverContext: {
    readonly source_doc_count?: number;
    readonly target_doc_count?: number;
    readonly doc_count_tolerance: number;
    readonly doc_count_validation_passed: boolean;
    readonly alias_swap_succeeded: boolean;
    readonly cutover_start_millis: number;
    readonly cutover_end_millis?: number;
  };
  readonly CutoverRequest: {
    /**
     * @description Begin as soon as the copy is close enough, whatever the windows and the date say.
     * @default false
     */
    readonly force?: boolean;
    /**
     * @description Postpone: the cutover waits until it is approved, also when it was approved before.
     * @default false
     */
    readonly postpone?: boolean;
    /** @description set_aside.digest of the status: the cutover may begin without these documents. Refused when others are set aside by now. */
    readonly accept_set_aside?: string;
  };
  readonly CutoverStatus: {
    /** @enum {string} */
    readonly state:
      'converging' | 'postponed' | 'waiting_for_window' | 'attempting' | 'backing_off' | 'done' | 'given_up';
    /** @description what has to happen before it begins */
    readonly waits_for?: string;
    /** @description when a window, the date or the time between attempts allows it next, epoch ms */
    readonly next_attempt_millis?: number;
    /** @description how long writes would wait or be refused if it began now, by the latest rounds of the shards and what was measured when the target was last refreshed; absent: not measured yet, or it is over */
    readonly predicted_pause_ms?: number;
    readonly order?: {
      /** @enum {string} */
      readonly type: 'approved' | 'forced' | 'postponed';
      /** @description epoch ms */
      readonly at_millis: number;
      /** @description kind and name of the credential; absent: the API asked for none */
      readonly by?: string;
    };
    /** @description disk that snapshots keep from being freed while the cutover is postponed, as of a minute ago; absent: unknown */
    readonly pinned_bytes?: number;
    /** @description why the last attempt has refused writes without holding them first; absent: it has held them, or holds are off */
    readonly without_hold?: string;
    /** @description the last ones; absent: none has begun */
    readonly attempts?: readonly Schemas['CutoverAttempt'][];
  };
  readonly CutoverWindow: {
    /** @description The days on which it opens. Default: every day. */
    readonly days?: readonly ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
    /** @description Time of the day at which it opens. */
    readonly from: string;
    /** @description Time at which it closes; earlier than `from`: on the next day. */
    readonly to: string;
    /**
     * @description A name of the IANA database, like Europe/Berlin.
     * @default UTC
     */
    readonly time_zone?: string;
  };
  readonly DefinitionChange: {
    /** @description settings.<name>, or mappings. and the path of a leaf */
    readonly path: string;
    /** @description absent: the source has nothing there */
    readonly source?: unknown;
    /** @description absent: the target has nothing there */
    readonly target?: unknown;
  };
  /** @description Every error has this shape. */
  readonly ErrorBody: {
    readonly error: {
      readonly root_cause: readonly {
        readonly type: string;
        readonly reason: string;
      }[];
      /** @description what kind of error it is, in the words of OpenSearch */
      readonly type: string;
      /** @description what is wrong, and what to do */
      readonly reason: string;
    };
    /** @description the HTTP status */
    readonly status: number;
  };
  readonly IndexItem: {
    readonly name: string;
    /** @description without the service's own */
    readonly aliases: readonly string[];
  };
  readonly IndexList: {
    /** @description by name; open ones, without those of a dot in front */
    readonly indices: readonly Schemas['IndexItem'][];
    /** @description there are more than are listed */
    readonly truncated: boolean;
  };
  readonly IndexNow: {
    readonly name: string;
    /**
     * @description replaced: the index of this name is another one than the migration had
     * @enum {string}
     */
    readonly state: 'same' | 'replaced' | 'missing';
    /** @description without the service's own */
    readonly aliases: readonly string[];
    readonly is_write_blocked: boolean;
    /** @description the migration that has left its write block; absent: none that is known */
    readonly blocked_by?: string;
    /** @description another migration fills it; absent: no name on it says so */
    readonly in_use?: boolean;
    /** @description root documents; absent: they could not be counted now */
    readonly document_count?: number;
  };
  readonly LeaseCleanup: {
    readonly dry_run: boolean;
    readonly leases: readonly {
      readonly index: string;
      readonly shard: number;
      readonly lease_id: string;
      readonly source: string;
      readonly retaining_seq_no: number;
      readonly released: boolean;
      readonly error?: string;
    }[];
    readonly released: number;
    readonly failed: number;
    /** @description there are more than were looked at */
    readonly truncated: boolean;
  };
  readonly ListAnswer: {
    /** @description newest first */
    readonly migrations: readonly Schemas['ListItem'][];
    /** @description there are more than `size` */
    readonly truncated: boolean;
    /** @description migrations that have not ended */
    readonly active_count: number;
  };
  readonly ListItem: {
    readonly migration_id: string;
    readonly source_index: string;
    readonly target_index: string;
    readonly alias: string;
    readonly phase: Schemas['MigrationPhase'];
    /** @description epoch milliseconds */
    readonly start_time_millis: number;
    /** @description epoch milliseconds */
    readonly last_updated_millis: number;
    readonly error_message?: string;
    /** @description how many shards are in which phase; phases without a shard are left out */
    readonly shards_by_phase: {
      readonly PENDING?: number;
      readonly ACQUIRING_LEASE?: number;
      readonly BACKFILLING?: number;
      readonly CONVERGING?: number;
      readonly CONVERGED?: number;
      readonly CATCHING_UP?: number;
      readonly COMPLETING?: number;
      readonly COMPLETED?: number;
      readonly CANCELLED?: number;
      readonly FAILING?: number;
      readonly FAILED?: number;
    };
    readonly cutover?: {
      readonly doc_count_validation_passed: boolean;
      readonly alias_swap_succeeded: boolean;
      readonly duration_millis: number;
      readonly error_message?: string;
    };
    readonly is_terminal: boolean;
    readonly shard_count: number;
    readonly elapsed_seconds: number;
  };
  readonly MigrationIndices: {
    readonly migration_id: string;
    /** @description epoch ms, when the cluster was asked */
    readonly at_millis: number;
    readonly alias: {
      readonly name: string;
      /** @description that carry it; none: there is no such alias */
      readonly indices: readonly string[];
    };
    readonly source: Schemas['IndexNow'];
    readonly target: Schemas['IndexNow'];
  };
  readonly MigrationOptions: {
    /** @description Operations left to replay at which a shard counts as converged. Default: the setting aosc.defaults.convergence_threshold. */
    readonly convergence_threshold_per_shard?: number;
    /** @description Replay rounds before a shard gives up. Default: the setting aosc.defaults.max_convergence_rounds. */
    readonly max_convergence_rounds_per_shard?: number;
    /**
     * @description Difference of the document counts of source and target that the cutover accepts.
     * @default 0
     */
    readonly doc_count_tolerance?: number;
    /** @description Query DSL that filters the counts compared at the cutover. Default: all documents. */
    readonly validation_query?: {
      readonly [key: string]: unknown;
    };
    /**
     * @description Must be true when the routing mode is BULK_API.
     * @default false
     */
    readonly accept_data_loss_if_custom_routing_is_used?: boolean;
    /**
     * @description Lets the swap create an alias that is not on the source. Applications that use another name stay on the source, which takes no writes then.
     * @default false
     */
    readonly create_alias?: boolean;
    /**
     * @description Ends the migration before the cutover when the mappings of source and target have drifted apart (mapping_drift). Otherwise the status only shows the drift.
     * @default false
     */
    readonly fail_on_mapping_drift?: boolean;
    /** @description Longest wait for the target to become green. Default: the setting aosc.target.ready_timeout. */
    readonly target_ready_timeout_seconds?: number;
    /** @description Lift the write block of the source after the cutover. Default: the setting aosc.defaults.remove_source_write_block_on_success. */
    readonly remove_source_write_block_on_success?: boolean;
    /** @description Settings of the target while it is filled; names start with "index.". {}: none. Default: the setting aosc.defaults.transient_target_settings. */
    readonly transient_target_settings?: {
      readonly [key: string]: string | number | boolean | null;
    };
    /**
     * @description documents: each is read and written. files: the start makes the target of the files of the source, see create_target. auto: files where they are possible, else documents. Default: documents.
     * @enum {string}
     */
    readonly copy?: 'documents' | 'files' | 'auto';
    /**
     * @description Of a target that is split from files: the documents of sibling shards are merged away before replicas are made, which would copy them. false: merges are left to the cluster.
     * @default true
     */
    readonly merge_before_replicas?: boolean;
    /**
     * @description count: the cutover needs counts that agree. content: it begins only after a verification of every document without a difference. Default: count.
     * @enum {string}
     */
    readonly verify?: 'count' | 'content';
    /** @description Copies and verifies every document (verify is content), and ends as CANCELLED where the cutover would begin: no write waits or is refused, and no alias moves. `rehearsal` of the status says what was found. Default: false. */
    readonly rehearse?: boolean;
    /**
     * @description fail: a document that the target refuses fails the migration. set_aside: it is kept aside, and the cutover waits until it is retried or accepted. Default: fail.
     * @enum {string}
     */
    readonly on_document_error?: 'fail' | 'set_aside';
    /** @description With set_aside: more refused documents fail the migration. Default: 1000. */
    readonly max_documents_set_aside?: number;
    /**
     * @description manual: the cutover waits until it is approved (_cutover), while the copy stays close to its source. Default: automatic.
     * @enum {string}
     */
    readonly cutover?: 'automatic' | 'manual';
    /** @description The cutover does not begin before this date and time, like 2026-11-28T02:00:00+01:00. */
    readonly cutover_not_before?: string;
    /** @description The cutover begins only inside one of these. Default: at any time. */
    readonly cutover_windows?: readonly Schemas['CutoverWindow'][];
    /** @description Longest pause of writes. A cutover begins only where the pause is predicted to be no longer. One whose last rounds take longer, from the request for the write hold or the write block on, is undone and tried again later. Default: aosc.cutover.max_pause. */
    readonly max_pause_ms?: number;
    /** @description The migration fails after this many undone cutovers. Default: no limit. */
    readonly max_cutover_attempts?: number;
  };
  /** @enum {string} */
  readonly MigrationPhase:
    | 'ACTIVE'
    | 'PREPARING_TARGET'
    | 'CUTTING_OVER'
    | 'CATCHING_UP'
    | 'COMPLETING'
    | 'COMPLETED'
    | 'CANCELLING'
    | 'CANCELLED'
    | 'FAILING'
    | 'FAILED';
  readonly MigrationProgress: {
    /** @description shards whose first snapshot was opened: the others are in no figure */
    readonly shards_known: number;
    readonly total_documents: number;
    readonly documents_indexed: number;
    /** @description 100 only when the copy of every shard is complete; earlier versions leave it out */
    readonly copied_percent?: number;
    readonly documents_per_second: number;
    readonly bytes_per_second: number;
    /** @description from the first to the last copied document; absent: shards are being copied */
    readonly average_documents_per_second?: number;
    /** @description the highest of the timeline; there when the migration has ended */
    readonly peak_documents_per_second?: number;
    /** @description unknown shards counted as the average of the known ones; absent: unknown */
    readonly remaining_seconds?: number;
  };
  readonly MigrationStatus: {
    readonly migration_id: string;
    readonly source_index: string;
    readonly target_index: string;
    readonly alias: string;
    /** @description Other aliases of the source, as of the start, and of a completed migration as of its end. The swap leaves them on the source, which takes no writes then. Absent: there are none. */
    readonly aliases_left_behind?: readonly string[];
    /** @description who has started it: kind and name of the credential; absent: the API asked for none */
    readonly started_by?: string;
    /** @description who has cancelled it: kind and name of the credential; absent: the API asked for none */
    readonly cancelled_by?: string;
    /** @description Fields that source or target have come to map in different ways since the start, as of the last look before writers are stopped. Queries on them answer otherwise after the swap. Absent or empty: there are none. */
    readonly mapping_drift?: readonly {
      /** @description path; (root): what the mapping says as a whole */
      readonly field: string;
      /** @description its definition there as JSON, shortened */
      readonly source: string;
      /** @description absent: the target has no such field */
      readonly target?: string;
    }[];
    readonly phase: Schemas['MigrationPhase'];
    readonly transform_script?: Schemas['TransformScript'];
    readonly options: Schemas['ResolvedOptions'];
    readonly shard_routing_mode: Schemas['RoutingMode'];
    readonly delete_routing_strategy: string;
    readonly start_time_millis: number;
    readonly last_updated_millis: number;
    readonly error_message?: string;
    readonly waiting_for?: {
      /** @enum {string} */
      readonly reason: 'worker' | 'permit' | 'target' | 'gap' | 'cluster';
      /** @description epoch ms */
      readonly since_millis: number;
      /** @description what stands in the way, and what to do */
      readonly text?: string;
    };
    readonly progress?: Schemas['MigrationProgress'];
    readonly cutover?: Schemas['CutoverStatus'];
    readonly set_aside?: {
      readonly count: number;
      /** @description of all of them and their versions: `accept_set_aside` takes it */
      readonly digest: string;
      readonly reasons: readonly {
        readonly type: string;
        readonly reason: string;
        readonly count: number;
        /** @description some of the documents */
        readonly sample_ids: readonly string[];
      }[];
      readonly accepted?: {
        readonly digest: string;
        /** @description epoch ms */
        readonly at_millis: number;
        /** @description kind and name of the credential; absent: the API asked for none */
        readonly by?: string;
      };
    };
    readonly cutover_context?: Schemas['CutoverContext'];
    readonly rehearsal?: {
      /**
       * @description what the verification has found; absent: the rehearsal has not come to its end, or was cancelled or has failed before
       * @enum {string}
       */
      readonly outcome?: 'exact' | 'different' | 'not_verified';
      /** @description documents; _verify has them */
      readonly differences?: number;
      /** @description of the source, in all passes */
      readonly documents_verified?: number;
      /** @description how long the verification has taken */
      readonly verified_ms?: number;
      readonly estimated?: {
        /** @description that are copied */
        readonly documents?: number;
        /** @description that the copy takes */
        readonly seconds?: number;
        /** @description that writes would wait or be refused in the cutover */
        readonly pause_ms?: number;
      };
      readonly found?: {
        /** @description that are copied */
        readonly documents?: number;
        /** @description that the copy takes */
        readonly seconds?: number;
        /** @description that writes would wait or be refused in the cutover */
        readonly pause_ms?: number;
      };
    };
    readonly shards: {
      readonly [key: string]: Schemas['ShardStatus'];
    };
    readonly transition_history: readonly {
      readonly phase: Schemas['MigrationPhase'];
      readonly start_time_millis: number;
      readonly end_time_millis?: number;
    }[];
    readonly meta: {
      readonly [key: string]: string;
    };
  };
  readonly Plan: {
    /** @description for `plan` of the start, which is refused when anything that the plan saw has changed */
    readonly plan_id: string;
    readonly source_index: string;
    readonly target_index: string;
    readonly alias: string;
    /**
     * @description the worst of all checks
     * @enum {string}
     */
    readonly verdict: 'ok' | 'warn' | 'refuse';
    /** @description in the order of the start. A check is left out where what it looks at is not there */
    readonly checks: readonly {
      /** @description stays the same from version to version; docs/reference/plan.md lists them */
      readonly id: string;
      /**
       * @description refuse: the start is refused, or the migration would fail. warn: it would go on, and a reader should know
       * @enum {string}
       */
      readonly verdict: 'ok' | 'warn' | 'refuse';
      /** @description what was seen */
      readonly evidence: string;
      /** @description what to do; absent: nothing */
      readonly remedy?: string;
    }[];
    /** @description of the target from the source */
    readonly differences: readonly Schemas['DefinitionChange'][];
    /** @description there are more differences than are listed */
    readonly differences_truncated: boolean;
    /** @description absent: none was tried */
    readonly documents?: {
      /** @description documents that were tried */
      readonly looked_at: number;
      readonly refused?: readonly {
        /** @description without values of documents */
        readonly reason: string;
        /** @description documents of this reason */
        readonly count: number;
        /** @description ten at the most */
        readonly ids: readonly string[];
      }[];
      readonly script?: {
        /** @description documents whose source is another one afterwards */
        readonly changed: number;
        /** @description documents whose source stays */
        readonly unchanged: number;
        /** @description documents whose id or routing is another one afterwards */
        readonly renamed: number;
        /** @description ids that several documents would have */
        readonly collisions: readonly string[];
        readonly fields: readonly {
          /** @description the path of a leaf */
          readonly field: string;
          /** @description documents in which it is new */
          readonly added: number;
          /** @description documents in which it is gone */
          readonly removed: number;
          /** @description documents in which it has another value */
          readonly changed: number;
        }[];
        readonly failed: readonly {
          /** @description without values of documents */
          readonly reason: string;
          /** @description documents of this reason */
          readonly count: number;
          /** @description ten at the most */
          readonly ids: readonly string[];
        }[];
      };
    };
    /** @description absent: no document was tried */
    readonly estimates?: {
      readonly documents?: {
        readonly value: number;
        /** @description how it was found */
        readonly how: string;
      };
      readonly bytes?: {
        readonly value: number;
        /** @description how it was found */
        readonly how: string;
      };
      readonly disk_bytes?: {
        readonly value: number;
        /** @description how it was found */
        readonly how: string;
      };
      readonly seconds?: {
        readonly value: number;
        /** @description how it was found */
        readonly how: string;
      };
      readonly pause_ms?: {
        readonly value: number;
        /** @description how it was found */
        readonly how: string;
      };
    };
  };
  readonly Readiness: {
    readonly ok: boolean;
    readonly checks: readonly {
      /** @description what was asked */
      readonly name: string;
      readonly ok: boolean;
      /** @description why not */
      readonly reason?: string;
    }[];
  };
  readonly ResolvedOptions: {
    readonly convergence_threshold_per_shard: number;
    readonly max_convergence_rounds_per_shard: number;
    readonly doc_count_tolerance: number;
    readonly validation_query?: {
      readonly [key: string]: unknown;
    };
    readonly accept_data_loss_if_custom_routing_is_used: boolean;
    /** @description The status shows it where a start asked for it. A record without it is of a version that did not know it. */
    readonly create_alias?: boolean;
    /** @description absent: started by a version that did not know it */
    readonly fail_on_mapping_drift?: boolean;
    readonly target_ready_timeout_seconds: number;
    readonly remove_source_write_block_on_success: boolean;
    readonly transient_target_settings: {
      readonly [key: string]: string | number | boolean | null;
    };
    /**
     * @description absent: the start did not say, and documents are copied
     * @enum {string}
     */
    readonly copy?: 'documents' | 'files' | 'auto';
    /** @description absent: the start did not say, and it is true */
    readonly merge_before_replicas?: boolean;
    /**
     * @description absent: the start did not say, and counts are compared
     * @enum {string}
     */
    readonly verify?: 'count' | 'content';
    /** @description absent: false */
    readonly rehearse?: boolean;
    /**
     * @description fail: a document that the target refuses fails the migration. set_aside: it is kept aside, and the cutover waits until it is retried or accepted. Default: fail.
     * @enum {string}
     */
    readonly on_document_error?: 'fail' | 'set_aside';
    /** @description With set_aside: more refused documents fail the migration. Default: 1000. */
    readonly max_documents_set_aside?: number;
    /**
     * @description manual: the cutover waits until it is approved (_cutover), while the copy stays close to its source. Default: automatic.
     * @enum {string}
     */
    readonly cutover?: 'automatic' | 'manual';
    /** @description The cutover does not begin before this date and time, like 2026-11-28T02:00:00+01:00. */
    readonly cutover_not_before?: string;
    /** @description The cutover begins only inside one of these. Default: at any time. */
    readonly cutover_windows?: readonly Schemas['CutoverWindow'][];
    /** @description Longest pause of writes. A cutover begins only where the pause is predicted to be no longer. One whose last rounds take longer, from the request for the write hold or the write block on, is undone and tried again later. Default: aosc.cutover.max_pause. */
    readonly max_pause_ms?: number;
    /** @description The migration fails after this many undone cutovers. Default: no limit. */
    readonly max_cutover_attempts?: number;
  };
  /** @enum {string} */
  readonly RoutingMode: 'SAME_SHARD' | 'SPLIT_SHARD' | 'BULK_API';
  readonly SettingTree: {
    readonly [key: string]: string | Schemas['SettingTree'];
  };
  readonly SettingsRequest: {
    /** @description Settings by full name, or as nested objects; null resets one, or many with a wildcard (aosc.backfill.*). */
    readonly persistent?: {
      readonly [key: string]: unknown;
    } | null;
    /** @description Settings by full name, or as nested objects; null resets one, or many with a wildcard (aosc.backfill.*). */
    readonly transient?: {
      readonly [key: string]: unknown;
    } | null;
  };
  /** @description Settings as nested objects, or by full name with flat_settings. Values are texts. */
  readonly SettingsScope: {
    readonly [key: string]: string | Schemas['SettingTree'];
  };
  readonly ShardDetail: {
    readonly migration_id: string;
    readonly source_index: string;
    readonly shard: number;
    readonly phase: Schemas['ShardPhase'];
    readonly owner?: {
      /** @description of the job; another one with each claim */
      readonly id: string;
      /** @description host and process id of the worker; absent: a version before has taken the shard */
      readonly process?: string;
      /** @description when it took the shard, epoch ms */
      readonly since_millis?: number;
      /** @description its last sign of life, epoch ms */
      readonly heartbeat_at_millis: number;
    };
    /** @description owners that had to be replaced since the work has last come further */
    readonly owners_lost: number;
    /** @description number of the fence through which the shard is written */
    readonly epoch: number;
    /** @description of the source, now; absent: the migration has ended, or its source is gone */
    readonly primary?: {
      /** @description absent: it is assigned to none */
      readonly node_id?: string;
      /** @description STARTED, RELOCATING, INITIALIZING or UNASSIGNED */
      readonly state: string;
    };
    readonly snapshots: readonly {
      /** @description current: what the target has, or is being given; next: what a round compares it with */
      readonly work: 'current' | 'next';
      readonly node_id: string;
      /** @description epoch ms */
      readonly opened_at_millis: number;
      /** @description every operation up to it is in the snapshot */
      readonly checkpoint: number;
      readonly document_count: number;
      /** @description the primary is still the copy that it was opened on; false: it is lost, or given up soon; absent: not known */
      readonly is_pinned?: boolean;
    }[];
    /** @description not known to be closed yet */
    readonly snapshots_to_close: number;
    /** @description so far */
    readonly snapshots_lost: number;
    readonly flow?: {
      /** @description fixed, adaptive_batch or adaptive */
      readonly controller: string;
      /** @description what a bulk should have */
      readonly target_bytes: number;
      /** @description documents that a bulk has at the most */
      readonly max_docs: number;
      /** @description bulks that may be under way at once */
      readonly concurrency: number;
      /** @description documents of the next page that is read */
      readonly page_size: number;
      /** @description that the cluster has asked this job for */
      readonly pauses: number;
      /** @description what keeps bulks from being larger or more: request_size, overload, trial, settings or throughput */
      readonly limited_by?: string;
      readonly bulk_latency?: {
        /** @description from sending to the end of the answer */
        readonly mean_ms: number;
        /** @description 19 of 20 took no longer */
        readonly p95_ms: number;
        /** @description how many these figures are of */
        readonly bulks: number;
      };
      /** @description epoch ms; absent: nothing is held back */
      readonly paused_until_millis?: number;
      readonly last_overload?: {
        readonly at_millis: number;
        readonly work: 'bulk' | 'read';
        readonly pause_ms: number;
        readonly reason: string;
      };
    };
    readonly transition_history: readonly {
      readonly phase: Schemas['ShardPhase'];
      readonly start_time_millis: number;
      readonly end_time_millis?: number;
    }[];
  };
  /** @enum {string} */
  readonly ShardPhase:
    | 'PENDING'
    | 'ACQUIRING_LEASE'
    | 'BACKFILLING'
    | 'CONVERGING'
    | 'CONVERGED'
    | 'CATCHING_UP'
    | 'COMPLETING'
    | 'COMPLETED'
    | 'CANCELLED'
    | 'FAILING'
    | 'FAILED';
  readonly ShardStatus: {
    readonly phase: Schemas['ShardPhase'];
    readonly error?: string;
    readonly last_replayed_seq_no: number;
    readonly target_seq_no: number;
    readonly backfill_cutoff_seq_no: number;
    readonly backfill?: Schemas['Counters'];
    readonly replay?: Schemas['Counters'];
    readonly convergence?: Schemas['Counters'];
    readonly catching_up?: Schemas['Counters'];
    readonly progress?: {
      /** @description documents of the snapshot, counted at its opening */
      readonly total_documents: number;
      /** @description moving, over about half a minute */
      readonly documents_per_second?: number;
      /** @description of `_source` */
      readonly bytes_per_second?: number;
      /** @description at this rate; absent: unknown */
      readonly remaining_seconds?: number;
      /** @description 100 only when the copy is complete; absent: the shard has no documents */
      readonly copied_percent?: number;
    };
    readonly flow?: {
      /** @description fixed, adaptive_batch or adaptive */
      readonly controller: string;
      /** @description what a bulk should have */
      readonly target_bytes: number;
      /** @description documents that a bulk has at the most */
      readonly max_docs: number;
      /** @description bulks that may be under way at once */
      readonly concurrency: number;
      /** @description documents of the next page that is read */
      readonly page_size: number;
      /** @description that the cluster has asked this job for */
      readonly pauses: number;
      /** @description what keeps bulks from being larger or more: request_size, overload, trial, settings or throughput */
      readonly limited_by?: string;
      readonly bulk_latency?: {
        /** @description from sending to the end of the answer */
        readonly mean_ms: number;
        /** @description 19 of 20 took no longer */
        readonly p95_ms: number;
        /** @description how many these figures are of */
        readonly bulks: number;
      };
      /** @description epoch ms; absent: nothing is held back */
      readonly paused_until_millis?: number;
      readonly last_overload?: {
        readonly at_millis: number;
        readonly work: 'bulk' | 'read';
        readonly pause_ms: number;
        readonly reason: string;
      };
    };
    readonly transition_history: readonly {
      readonly phase: Schemas['ShardPhase'];
      readonly start_time_millis: number;
      readonly end_time_millis?: number;
    }[];
    readonly meta: {
      readonly [key: string]: string;
    };
  };
  readonly StartAnswer: {
    /** @description <source_index>__<target_index>__<epoch_millis> */
    readonly migration_id: string;
    readonly accepted: boolean;
    /** @description Other aliases of the source, as of the start, and of a completed migration as of its end. The swap leaves them on the source, which takes no writes then. Absent: there are none. */
    readonly aliases_left_behind?: readonly string[];
  };
  readonly StartCheck: {
    /** @constant */
    readonly dry_run: true;
    readonly source_index: string;
    readonly target_index: string;
    readonly alias: string;
    readonly shard_routing_mode: Schemas['RoutingMode'];
    /** @description Other aliases of the source, as of the start, and of a completed migration as of its end. The swap leaves them on the source, which takes no writes then. Absent: there are none. */
    readonly aliases_left_behind?: readonly string[];
    /** @description of options.copy auto: why not files. Absent: nothing is against them */
    readonly documents_because?: string;
  };
  readonly StateClearing: {
    readonly dry_run: boolean;
    readonly try_close: boolean;
    /** @description by migration id */
    readonly migrations: {
      readonly [key: string]: {
        readonly source_index?: string;
        readonly phase?: Schemas['MigrationPhase'];
        readonly cluster_state: 'would_clear' | 'cleared' | 'not_found';
        readonly active_migrations: 'would_clear' | 'cleared' | 'not_found';
        readonly closed: boolean;
        /** @description why it could not be cleared */
        readonly error?: string;
        readonly entry?: {
          readonly migration_id: string;
          readonly source_index: string;
          readonly target_index: string;
          readonly alias: string;
          readonly transform_script?: unknown;
          readonly options: unknown;
          readonly phase: Schemas['MigrationPhase'];
          readonly routing_mode: string;
          readonly delete_routing_strategy: string;
          readonly start_time_millis: number;
          readonly shards: {
            readonly [key: string]: {
              readonly phase: Schemas['ShardPhase'];
              readonly last_replayed_seq_no: number;
              readonly backfill_cutoff_seq_no: number;
              readonly failure?: string;
              readonly meta: {
                readonly [key: string]: string;
              };
            };
          };
          readonly failure?: string;
          readonly meta: {
            readonly [key: string]: string;
          };
        };
      };
    };
  };
  readonly TargetCreation: {
    readonly source_index: string;
    readonly target_index: string;
    readonly dry_run: boolean;
    /** @description false only in a dry run */
    readonly created: boolean;
    readonly shard_routing_mode: Schemas['RoutingMode'];
    /** @description what the index is, or would be, created from */
    readonly definition: {
      readonly settings: {
        readonly [key: string]: unknown;
      };
      readonly mappings: {
        readonly [key: string]: unknown;
      };
    };
    /** @description how the new target differs from the source, with what index templates add; in a dry run how it would differ, as far as that is known */
    readonly changes: readonly Schemas['DefinitionChange'][];
    /** @description there are more changes than are listed */
    readonly changes_truncated: boolean;
    /** @description why the cluster assigns a copy of the new target to no node, in its own words: a start waits for it. Absent: every copy has a node */
    readonly unassigned?: string;
    /** @description settings and parts of the mapping of the source that the target does not get */
    readonly left_out: readonly {
      readonly setting: string;
      readonly reason: string;
    }[];
    /** @description of the source. The target gets none: the swap gives it the alias of the start, with its properties; the others stay on the source */
    readonly aliases: readonly {
      readonly name: string;
      /** @description filter, routing, is_write_index and others, as the source has them */
      readonly properties: {
        readonly [key: string]: unknown;
      };
    }[];
  };
  readonly TransformScript: {
    readonly type: 'inline' | 'stored';
    readonly source?: string;
    readonly id?: string;
    readonly params?: {
      readonly [key: string]: unknown;
    };
    readonly script_context?: string;
    readonly apply_to_deletes?: boolean;
  };
  readonly StartRequest: {
    readonly target_index: string;
    readonly alias: string;
    readonly transform_script?: Schemas['TransformScript'];
    readonly options?: Schemas['MigrationOptions'];
    /** @description For options.copy files or auto: what of the target differs from the source. The target must not exist. */
    readonly create_target?: {
      /** @description Primary shards of the target. Default: as many as the source has. */
      readonly number_of_shards?: number;
      /** @description Settings that differ from those of the source, by full name ("index.refresh_interval"); null leaves out a setting of the source. */
      readonly settings?: {
        readonly [key: string]: string | number | boolean | null | readonly (string | number | boolean)[];
      };
      /** @description Changes of the mapping of the source, as a JSON merge patch (RFC 7396): objects are merged, null removes. */
      readonly mappings?: {
        readonly [key: string]: unknown;
      };
    };
    /** @description plan_id of a _plan: the start is refused when anything that the plan saw has changed since. */
    readonly plan?: string;
    readonly source_index?: unknown;
  };
  readonly PlanRequest: {
    readonly target_index: string;
    readonly alias: string;
    readonly transform_script?: Schemas['TransformScript'];
    readonly options?: Schemas['MigrationOptions'];
    /** @description For options.copy files or auto: what of the target differs from the source. The target must not exist. */
    readonly create_target?: {
      /** @description Primary shards of the target. Default: as many as the source has. */
      readonly number_of_shards?: number;
      /** @description Settings that differ from those of the source, by full name ("index.refresh_interval"); null leaves out a setting of the source. */
      readonly settings?: {
        readonly [key: string]: string | number | boolean | null | readonly (string | number | boolean)[];
      };
      /** @description Changes of the mapping of the source, as a JSON merge patch (RFC 7396): objects are merged, null removes. */
      readonly mappings?: {
        readonly [key: string]: unknown;
      };
    };
    /** @description plan_id of a _plan: the start is refused when anything that the plan saw has changed since. */
    readonly plan?: string;
    readonly source_index?: unknown;
    /**
     * @description Documents of the source that are tried; 0: none.
     * @default 1000
     */
    readonly documents?: number;
    /**
     * @description How long to read for the estimates, and to try a script.
     * @default 3
     */
    readonly seconds?: number;
  };
  readonly CreateTargetRequest: {
    /** @description Name of the index to create; it must not exist. */
    readonly target_index: string;
    /** @description Primary shards of the target. Default: as many as the source has. */
    readonly number_of_shards?: number;
    /** @description Settings that differ from those of the source, by full name ("index.refresh_interval"); null leaves out a setting of the source. */
    readonly settings?: {
      readonly [key: string]: string | number | boolean | null | readonly (string | number | boolean)[];
    };
    /** @description Changes of the mapping of the source, as a JSON merge patch (RFC 7396): objects are merged, null removes. */
    readonly mappings?: {
      readonly [key: string]: unknown;
    };
  };
  readonly PreviewRequest: {
    readonly transform_script: Schemas['TransformScript'];
    /** @description What the script sees as ctx._index. */
    readonly target_index?: string;
  };
  readonly TransformPreview: {
    /** @description some of the source, five at the most; none when it is empty */
    readonly documents: readonly {
      readonly before: {
        /** @description `_id` */
        readonly id: string;
        /** @description `_source` as the text that it is; a part of a long one */
        readonly source: string;
        /** @description source is only the beginning */
        readonly is_part: boolean;
      };
      readonly after?: {
        /** @description `_id` */
        readonly id: string;
        /** @description `_source` as the text that it is; a part of a long one */
        readonly source: string;
        /** @description source is only the beginning */
        readonly is_part: boolean;
      };
      /** @description why there is no `after` */
      readonly failure?: {
        readonly type: string;
        readonly reason: string;
      };
    }[];
  };
  readonly Verification: {
    readonly migration_id: string;
    readonly source_index: string;
    readonly target_index: string;
    /** @enum {string} */
    readonly state: 'running' | 'done' | 'failed';
    /** @description why it has failed, or why what was written last before the swap was not compared */
    readonly reason?: string;
    /** @description absent: the service itself, or an API without credentials */
    readonly requested_by?: string;
    readonly started_at_millis: number;
    readonly ended_at_millis?: number;
    /** @description documents that differed and do no more; absent: repairs were not asked for */
    readonly repaired?: number;
    /** @description the first compares everything, each later one what was written since the one before */
    readonly passes: number;
    /** @description documents of the source, in all passes */
    readonly documents_compared: number;
    /** @description documents that the newest pass could not judge: written again at each look, or perhaps deleted by an application after the swap */
    readonly unsettled: number;
    /** @description documents that shards of the source write to in turn: the last rounds of the cutover settle them, and the pass after the swap compares what those write */
    readonly contested?: number;
    /** @description operations between the last pass before the swap and the swap; they are compared in a pass after it */
    readonly unproven_at_swap?: number;
    readonly progress: {
      /** @description of shards that are compared with each other */
      readonly groups: number;
      readonly groups_done: number;
      /** @description of the group that is compared now, from 0 */
      readonly part: number;
      /** @description absent: the group was not begun */
      readonly parts?: number;
    };
    readonly differences: {
      readonly counts: {
        /** @description in the source and not in the target */
        readonly missing: number;
        /** @description in the target and not in the source */
        readonly extra: number;
        /** @description with another `_version` */
        readonly version: number;
        /** @description under another `_routing` */
        readonly routing: number;
        /** @description with another `_source` */
        readonly source: number;
      };
      /** @description at most 1,000 of each kind */
      readonly samples: readonly {
        /** @enum {string} */
        readonly kind: 'missing' | 'extra' | 'version' | 'routing' | 'source';
        /** @description `_id` in the source; of an extra document, and where a script sets ids, in the target */
        readonly id: string;
        /** @description absent: it has none */
        readonly routing?: string;
        /** @description top-level fields of `_source` that differ, at most 20; no values */
        readonly fields?: readonly string[];
      }[];
    };
    readonly ranges: readonly {
      readonly source_shards: readonly number[];
      readonly target_shards: readonly number[];
      /** @description of the source that were compared, in all passes */
      readonly documents: number;
      /** @description by source shard: what operations up to this number wrote was compared, after the swap apart from `unsettled` documents */
      readonly to_seq_no: {
        readonly [key: string]: number;
      };
      /** @description the same by target shard */
      readonly to_target_seq_no: {
        readonly [key: string]: number;
      };
    }[];
    /** @description SHA-256 of the certificate: the answer without this field, as compact JSON in the order sent */
    readonly digest?: string;
  };
  readonly SetAside: {
    readonly migration_id: string;
    readonly count: number;
    /** @description of all of them and their versions: `accept_set_aside` takes it */
    readonly digest: string;
    readonly reasons: readonly {
      readonly type: string;
      readonly reason: string;
      readonly count: number;
      /** @description some of the documents */
      readonly sample_ids: readonly string[];
    }[];
    readonly accepted?: {
      readonly digest: string;
      /** @description epoch ms */
      readonly at_millis: number;
      /** @description kind and name of the credential; absent: the API asked for none */
      readonly by?: string;
    };
    readonly documents: readonly {
      readonly id: string;
      /** @description absent: it has none */
      readonly routing?: string;
      /** @description `_version` in the source */
      readonly version: string;
      /** @description `_seq_no` in the source */
      readonly seq_no: number;
      /** @description type of the error */
      readonly type: string;
      /** @description without the id and the values that OpenSearch quotes */
      readonly reason: string;
    }[];
  };
  readonly RetryAnswer: {
    /** @constant */
    readonly accepted: true;
    /** @description that the next look of their shards writes again */
    readonly documents: number;
  };
  readonly Timeline: {
    readonly migration_id: string;
    readonly source_index: string;
    readonly points: {
      /** @description epoch ms, ascending */
      readonly at_millis: readonly number[];
      readonly phase: readonly Schemas['MigrationPhase'][];
      /** @description by the first copy, so far */
      readonly documents_indexed: readonly number[];
      /** @description of all shards */
      readonly documents_per_second: readonly number[];
      /** @description of `_source` */
      readonly bytes_per_second: readonly number[];
      /** @description operations left to replay, of all shards; null: unknown */
      readonly gap: readonly (number | null)[];
      /** @description what bulks should have, of all shards together */
      readonly batch_bytes: readonly number[];
      /** @description bulks that may be under way at once, of all shards */
      readonly concurrency: readonly number[];
      /** @description that the cluster has asked the jobs of that moment for */
      readonly pauses: readonly number[];
      /** @description mean of the bulks of all shards that ended lately, each counted once; null: none did */
      readonly bulk_latency_ms?: readonly (number | null)[];
    };
  };
  readonly Settings: {
    readonly persistent: Schemas['SettingsScope'];
    readonly transient: Schemas['SettingsScope'];
    readonly defaults?: Schemas['SettingsScope'];
  };
  readonly SettingsChanged: {
    /** @constant */
    readonly acknowledged: true;
    readonly persistent: Schemas['SettingsScope'];
    readonly transient: Schemas['SettingsScope'];
  };
  readonly Events: {
    /** @description Forget what earlier events said: everything follows. */
    readonly reset?: Record<string, never>;
    readonly migration?: {
      readonly migration_id: string;
      readonly source_index: string;
      readonly target_index: string;
      readonly alias: string;
      readonly phase: Schemas['MigrationPhase'];
      /** @description epoch milliseconds */
      readonly start_time_millis: number;
      /** @description epoch milliseconds */
      readonly last_updated_millis: number;
      readonly error_message?: string;
      /** @description how many shards are in which phase; phases without a shard are left out */
      readonly shards_by_phase: {
        readonly PENDING?: number;
        readonly ACQUIRING_LEASE?: number;
        readonly BACKFILLING?: number;
        readonly CONVERGING?: number;
        readonly CONVERGED?: number;
        readonly CATCHING_UP?: number;
        readonly COMPLETING?: number;
        readonly COMPLETED?: number;
        readonly CANCELLED?: number;
        readonly FAILING?: number;
        readonly FAILED?: number;
      };
      readonly cutover?: {
        readonly doc_count_validation_passed: boolean;
        readonly alias_swap_succeeded: boolean;
        readonly duration_millis: number;
        readonly error_message?: string;
      };
      readonly is_terminal: boolean;
      readonly shard_count: number;
      readonly elapsed_seconds: number;
      readonly shard_routing_mode: Schemas['RoutingMode'];
      readonly target_shard_count: number;
      readonly progress?: Schemas['MigrationProgress'];
      readonly waiting_for?: {
        /** @enum {string} */
        readonly reason: 'worker' | 'permit' | 'target' | 'gap' | 'cluster';
        /** @description epoch ms */
        readonly since_millis: number;
        /** @description what stands in the way, and what to do */
        readonly text?: string;
      };
      /** @description operations left to replay, of all shards together; absent: unknown */
      readonly gap?: number;
    };
    /** @description The stream does not show this migration any more. */
    readonly gone?: {
      readonly migration_id: string;
    };
    readonly totals?: {
      /** @description how many of the migrations that the stream shows are in which phase; phases without one are left out */
      readonly by_phase: {
        readonly ACTIVE?: number;
        readonly PREPARING_TARGET?: number;
        readonly CUTTING_OVER?: number;
        readonly CATCHING_UP?: number;
        readonly COMPLETING?: number;
        readonly COMPLETED?: number;
        readonly CANCELLING?: number;
        readonly CANCELLED?: number;
        readonly FAILING?: number;
        readonly FAILED?: number;
      };
      /** @description there are older migrations, which the stream does not show */
      readonly truncated: boolean;
    };
    /** @description All events of a look are there. Only this one has an id. */
    readonly ready?: {
      /** @description epoch ms, of the API */
      readonly at_millis: number;
    };
    /** @description The records can not be read: what was shown is old, until the next `ready`. */
    readonly trouble?: {
      readonly reason: string;
    };
  };
}
