interface Silence {
  /** Time between two beats of a child. */
  beatMs: number;
  /** A child that is silent for this long hangs. */
  silentMs: number;
}

/**
 * Notices a child that is silent. Only time in which this process itself has listened counts: after a stall of its own event loop,
 * or of the whole machine, the watch begins anew.
 */
export class SilenceWatch {
  private readonly timer: Timer;
  private lookedAtMs = performance.now();
  private silentMs = 0;

  constructor(silence: Silence, onSilent: () => void) {
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      const passedMs = nowMs - this.lookedAtMs;
      this.lookedAtMs = nowMs;
      this.silentMs = passedMs > 2 * silence.beatMs ? 0 : this.silentMs + passedMs;
      if (this.silentMs < silence.silentMs) return;
      this.silentMs = 0;
      onSilent();
    }, silence.beatMs);
  }

  /** A message of the child has come. */
  hear(): void {
    this.silentMs = 0;
  }

  end(): void {
    clearInterval(this.timer);
  }
}
