import type { Telling, WeirClient } from "../../import/mod.ts";
import { type JsonObject, TerminalError } from "../../types/mod.ts";

const NOTE_MS = 5_000;

/** An import as `imports/` shows it. */
export interface ImportBody {
  id: string;
  source: string;
  origin: string;
  mapping_hash: string;
  state: string;
  counts: JsonObject;
  error: string | null;
  created_at: string;
}

type History = Pick<ImportBody, "source" | "origin" | "mapping_hash">;

/** Throws TerminalError `mapping_changed` where the same history was imported under another mapping. */
export async function refuseOtherMapping(weir: WeirClient, history: History): Promise<void> {
  const query = new URLSearchParams({ source: history.source, origin: history.origin, limit: "1000" });
  const { results } = await weir.ask<{ results: ImportBody[] }>("GET", `imports/?${query}`);
  const other = results.find(
    ({ mapping_hash, state, counts }) =>
      mapping_hash !== history.mapping_hash && state !== "undone" && Number(counts.sent ?? 0) > 0,
  );
  if (other === undefined) return;
  throw new TerminalError(
    "mapping_changed",
    `This history was imported under another mapping (import ${other.id}): the events would not be known as the same ones. ` +
      "Undo that import first, or give --as-new.",
  );
}

export function createRecord(weir: WeirClient, history: History): Promise<ImportBody> {
  return weir.ask<ImportBody>("POST", "imports/", history);
}

const STATES: Record<Telling["phase"], string | null> = {
  staging: "staging",
  survey: "surveying",
  firsts: "sending",
  rows: "sending",
  settle: "settling",
  check: "checking",
  done: null,
};

const UNDONE: ReadonlySet<string> = new Set(["undoing", "undone"]);

/** Keeps the record of an import up to date. What cannot be noted is noted later: the import goes on. */
export class Keeper {
  private notedAtMs = Number.NEGATIVE_INFINITY;
  private noted: string | null = null;
  private running: Promise<unknown> = Promise.resolve();
  private isBusy = false;

  constructor(
    private readonly weir: WeirClient,
    private readonly id: string,
    /** Called where the Weir wants no more of this import: it is to pause (`stopped`), or was undone (`weir_refused`). */
    private readonly abort: (error: TerminalError) => void,
  ) {}

  /** Before anything is sent. Throws TerminalError `weir_refused`. */
  async begin(): Promise<void> {
    await this.patch({ state: "created", error: null });
  }

  note({ phase, counts, stored, duplicates, share }: Telling): void {
    const state = STATES[phase];
    if (state === null || this.isBusy) return;
    if (state === this.noted && performance.now() - this.notedAtMs < NOTE_MS) return;
    this.notedAtMs = performance.now();
    this.noted = state;
    this.isBusy = true;
    this.running = this.patch({ state, counts: { ...counts, stored, duplicates, share }, error: null })
      .then((now) => {
        if (now.state === "stopping") this.abort(new TerminalError("stopped", "The import was paused."));
      })
      .catch((error: unknown) => {
        if (error instanceof TerminalError && error.code === "weir_refused") this.abort(error);
      })
      .finally(() => {
        this.isBusy = false;
      });
  }

  /** The last word. */
  async end(state: "completed" | "paused" | "failed", counts: object | null, error: string | null): Promise<void> {
    await this.running;
    const body = { state, error: error?.slice(0, 4000) ?? null, ...(counts !== null && { counts }) };
    const weir = this.weir.briefly();
    await weir.ask("PATCH", `imports/${this.id}/`, body).catch(() => this.undoRest(weir));
  }

  /** Where the last word is refused because the import was undone, what it has sent since then goes, too. */
  private async undoRest(weir: WeirClient): Promise<void> {
    const path = `imports/${this.id}/`;
    const now = await weir.ask<ImportBody>("GET", path).catch(() => null);
    if (now === null || !UNDONE.has(now.state)) return;
    await weir.ask("POST", `${path}undo/`, {}).catch(() => {
      console.error(`What was sent since it was undone is still there: weir import undo ${this.id}`);
    });
  }

  private patch(body: object): Promise<ImportBody> {
    return this.weir.ask<ImportBody>("PATCH", `imports/${this.id}/`, body);
  }
}
