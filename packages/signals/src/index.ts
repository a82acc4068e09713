export { type Charge, createCharge } from './charge';
export { timeLimit } from './time-limit';
