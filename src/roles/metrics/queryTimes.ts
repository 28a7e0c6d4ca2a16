import type { Exposition, Sample } from "./exposition.ts";

/** Upper ends of the buckets, in seconds. */
const BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Kinds come from the nodes that are asked: what is none of a node is one kind. */
const KIND = /^[A-Za-z]{1,60}$/;
const KINDS_MAX = 100;

interface Times {
  buckets: number[];
  sumS: number;
  count: number;
  failed: number;
}

/** How long this process has taken to calculate answers, by kind of query. */
export class QueryTimes {
  private readonly byKind = new Map<string, Times>();

  /** Wraps what calculates, so that it is measured. */
  watch<A extends unknown[], R>(
    run: (...args: A) => Promise<R>,
    kindOf: (...args: A) => unknown,
  ): (...args: A) => Promise<R> {
    return async (...args) => {
      const beganAtMs = performance.now();
      let isFailed = true;
      try {
        const answer = await run(...args);
        isFailed = false;
        return answer;
      } finally {
        this.note(kindOf(...args), (performance.now() - beganAtMs) / 1000, isFailed);
      }
    };
  }

  /** For `expose` of another process. */
  toText(): string {
    return JSON.stringify([...this.byKind]);
  }

  /** `others`: the texts of processes that calculate elsewhere, by name. */
  expose(out: Exposition, others: ReadonlyMap<string, string>): void {
    const all = [...this.byKind].map(([kind, times]): Labelled => ({ labels: { kind }, times }));
    for (const [process, text] of others) {
      for (const [kind, times] of JSON.parse(text) as [string, Times][]) {
        // One of another version may measure otherwise.
        if (times.buckets.length === BUCKETS_S.length) all.push({ labels: { kind, process }, times });
      }
    }
    out.histogram(
      "weir_query_duration_seconds",
      "Time to calculate answers, by kind: of this api process, and with `process` of each `weir query`.",
      all.flatMap(histogramOf),
    );
    out.counter(
      "weir_query_failures_total",
      "Calculations that ended without an answer: wrong, cancelled, too long.",
      all.map(({ labels, times }): Sample => [labels, times.failed]),
    );
  }

  private note(asked: unknown, tookS: number, isFailed: boolean): void {
    const known = typeof asked === "string" && KIND.test(asked) ? asked : "other";
    const kind = this.byKind.has(known) || this.byKind.size < KINDS_MAX ? known : "other";
    const times = this.byKind.getOrInsertComputed(kind, () => {
      return { buckets: BUCKETS_S.map(() => 0), sumS: 0, count: 0, failed: 0 };
    });
    BUCKETS_S.forEach((le, i) => {
      if (tookS <= le) times.buckets[i]!++;
    });
    times.sumS += tookS;
    times.count++;
    if (isFailed) times.failed++;
  }
}

/** The times of a kind in a process. */
interface Labelled {
  labels: Record<string, string>;
  times: Times;
}

function histogramOf({ labels, times }: Labelled): [string, ...Sample][] {
  return [
    ...BUCKETS_S.map((le, i): [string, ...Sample] => ["bucket", { ...labels, le }, times.buckets[i]!]),
    ["bucket", { ...labels, le: "+Inf" }, times.count],
    ["sum", labels, times.sumS],
    ["count", labels, times.count],
  ];
}
