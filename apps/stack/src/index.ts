export { type Build, type Service, startService } from './service';
