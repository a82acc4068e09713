export { timeLimit } from './time-limit';
