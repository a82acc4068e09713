export { Cooldown } from './cooldown';
export { graceAfter } from './grace';
export { isAborted } from './is-aborted';
export { onAbort } from './on-abort';
export { type Mandate, createMandate } from './mandate';
export { startTicks } from './ticks';
export { timeLimit } from './time-limit';
export { UnchangedWatch } from './unchanged-watch';
export { within } from './within';
