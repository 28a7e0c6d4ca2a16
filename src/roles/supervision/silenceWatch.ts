export interface Silence {
  /** A child lets itself be heard so often. */
  beatMs: number;
  /** Silent for so long, it hangs. */
  silentMs: number;
}

/**
 * Notices a child that has stopped to be heard. Only time in which this process itself has listened counts: a watch whose own event
 * loop was late (a stall, a suspended machine) has not given the child's messages a chance, and begins anew.
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

  /** The child has said something. */
  hear(): void {
    this.silentMs = 0;
  }

  end(): void {
    clearInterval(this.timer);
  }
}
