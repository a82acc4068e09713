export { type Charge, createCharge } from './charge';
export { startTicks } from './ticks';
export { timeLimit } from './time-limit';
