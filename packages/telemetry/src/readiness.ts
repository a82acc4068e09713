/** One thing a process needs before it can work. `reason` says what is wrong and what to do about it. */
export interface ReadinessCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly reason?: string;
}
export interface Readiness {
  readonly ok: boolean;
  readonly checks: readonly ReadinessCheck[];
}
