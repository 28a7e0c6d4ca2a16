import { describeError } from "../../types/mod.ts";
import type { Catalog } from "../catalog/mod.ts";
import { mayHaveColumn } from "../typed/mod.ts";

/** Uses are written down together this often. */
const WRITE_MS = 60_000;
/** Keys remembered as written, and keys that wait; beyond it some are written again, or are not noted. */
const REMEMBERED_MAX = 20_000;
const WAITING_MAX = 2_000;

interface KeyUsesParts {
  catalog: Pick<Catalog, "noteKeyUses">;
  now(): number;
  log(message: string): void;
}

/** Reports the keys that queries read to the catalog: each once a day, at most a minute later, at no cost to a query. */
export class KeyUses {
  private readonly written = new Set<string>();
  private waiting = new Map<string, { teamId: number; key: string }>();
  private day = "";
  private readonly timer: Timer;

  constructor(
    private readonly parts: KeyUsesParts,
    everyMs = WRITE_MS,
  ) {
    this.timer = setInterval(() => void this.write(), everyMs);
    this.timer.unref();
  }

  note(teamId: number, keys: readonly string[]): void {
    const day = new Date(this.parts.now()).toISOString().slice(0, 10);
    if (day !== this.day || this.written.size > REMEMBERED_MAX) this.written.clear();
    this.day = day;
    for (const key of keys) {
      const name = `${teamId}/${key}`;
      if (this.written.has(name) || this.waiting.size >= WAITING_MAX) continue;
      if (mayHaveColumn(key)) this.waiting.set(name, { teamId, key });
    }
  }

  /** Uses that cannot be written now are reported again by later queries. */
  async write(): Promise<void> {
    const { waiting } = this;
    if (waiting.size === 0) return;
    this.waiting = new Map();
    try {
      await this.parts.catalog.noteKeyUses([...waiting.values()]);
      for (const name of waiting.keys()) this.written.add(name);
    } catch (error) {
      this.parts.log(`keys of queries: ${describeError(error)}`);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.write();
  }
}
