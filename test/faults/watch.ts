import type { Weir } from "../support/weir.ts";

const PAUSE_MS = 20;

/** What senders and readers saw. */
export interface Seen {
  /** Requests that were answered with 200 in the end. */
  captures: number;
  /** Tries of captures that were not answered with 200, by what was seen in place of it. */
  failedCaptures: Record<string, number>;
  /** From the first try to the 200. */
  longestCaptureMs: number;
  reads: number;
  failedReads: Record<string, number>;
  longestReadMs: number;
}

const nothing = (): Seen => ({
  ...{ captures: 0, failedCaptures: {}, longestCaptureMs: 0 },
  ...{ reads: 0, failedReads: {}, longestReadMs: 0 },
});

/** Counts what the senders of a Weir see. */
export class Watch {
  seen = nothing();

  constructor(private readonly weir: Weir) {
    const post = weir.post.bind(weir);
    weir.post = async (path, body, headers, signal) => {
      const isPatient = signal === undefined;
      try {
        const answer = await post(path, body, headers, signal);
        if (answer.status !== 200 && isPatient) count(this.seen.failedCaptures, String(answer.status));
        return answer;
      } catch (error) {
        if (isPatient) count(this.seen.failedCaptures, "no answer");
        throw error;
      }
    };
    const deliver = weir.deliver.bind(weir);
    weir.deliver = async (events, options) => {
      const beganAtMs = performance.now();
      const tries = await deliver(events, options);
      this.seen.captures++;
      this.seen.longestCaptureMs = Math.max(this.seen.longestCaptureMs, performance.now() - beganAtMs);
      return tries;
    };
  }

  forget(): void {
    this.seen = nothing();
  }

  /** Without fractions. */
  get rounded(): Seen {
    const { longestCaptureMs, longestReadMs } = this.seen;
    return { ...this.seen, longestCaptureMs: Math.round(longestCaptureMs), longestReadMs: Math.round(longestReadMs) };
  }

  /** Asks again and again, each question until it is answered. */
  async read(isOver: () => boolean, pauseMs = PAUSE_MS): Promise<void> {
    while (!isOver()) {
      const beganAtMs = performance.now();
      while (!(await this.ask())) await Bun.sleep(pauseMs);
      this.seen.reads++;
      this.seen.longestReadMs = Math.max(this.seen.longestReadMs, performance.now() - beganAtMs);
      await Bun.sleep(pauseMs);
    }
  }

  private async ask(): Promise<boolean> {
    const body = { query: { kind: "HogQLQuery", query: "SELECT count() FROM events" }, refresh: "force_blocking" };
    const status = await this.weir.api("/query/", { body }).then(
      async (answer) => {
        await answer.arrayBuffer();
        return String(answer.status);
      },
      () => "no answer",
    );
    if (status !== "200") count(this.seen.failedReads, status);
    return status === "200";
  }
}

function count(counts: Record<string, number>, what: string): void {
  counts[what] = (counts[what] ?? 0) + 1;
}
