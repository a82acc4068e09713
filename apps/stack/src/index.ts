export { type Environment, type Service, type ServiceOptions, startService } from './service';
