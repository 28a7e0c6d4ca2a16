import { DAY_MS, describeError, type JsonObject, parseUuid } from "../../types/mod.ts";
import { Fields } from "../fields.ts";
import type { Row } from "../reading/mod.ts";
import { type First, type ImportedEvent, type ImportedPerson, RowRejected, type Stage } from "../types.ts";
import type { FrontRules } from "./frontRules.ts";

/** What became of a row. */
export type Outcome =
  | { kind: "event"; event: ImportedEvent; atMs: number; firsts: readonly First[]; isNumbered: boolean }
  | { kind: "firsts"; firsts: readonly First[] }
  | { kind: "person"; person: ImportedPerson }
  | { kind: "left out"; reason: string }
  | { kind: "rejected"; rejected: RowRejected };

/** UTC days since 1970. */
export const dayOfMs = (ms: number): number => Math.floor(ms / DAY_MS);

/** Times, in epoch milliseconds; the end is not part of it. */
export interface Between {
  fromMs: number | null;
  toMs: number | null;
}

/** Judges rows: maps them, and checks what comes out. What its JSON says is judged by `FrontRules.check`. */
export class Judge {
  /** The fields of the row that was judged last; null where it could not be read. */
  fields: Fields | null = null;

  constructor(
    private readonly options: unknown,
    private readonly between: Between,
    readonly rules: FrontRules,
  ) {}

  judge(stage: Stage<unknown>, row: Row): Outcome {
    this.fields = null;
    try {
      this.fields = new Fields(row.value());
      return this.outcomeOf(stage.map(this.fields, this.options));
    } catch (error) {
      if (error instanceof RowRejected) return { kind: "rejected", rejected: error };
      // A row that no one thought of must not end the import.
      return { kind: "rejected", rejected: new RowRejected("unreadable", describeError(error)) };
    }
  }

  private outcomeOf(mapped: ReturnType<Stage<unknown>["map"]>): Outcome {
    if ("leftOut" in mapped) return { kind: "left out", reason: mapped.leftOut };
    if ("person" in mapped) return { kind: "person", person: mapped.person };
    const firsts = mapped.firsts ?? [];
    for (const { atMs } of firsts) this.rules.checkTime(atMs);
    if (!("event" in mapped)) {
      const inside = firsts.filter(({ atMs }) => this.isInside(atMs));
      return inside.length < firsts.length && inside.length === 0 ? OUTSIDE : { kind: "firsts", firsts: inside };
    }
    const { event } = mapped;
    const atMs = Date.parse(event.timestamp);
    this.rules.checkTime(atMs);
    checkUuid(event);
    if (!this.isInside(atMs)) return OUTSIDE;
    return { kind: "event", event, atMs, firsts, isNumbered: mapped.isNumbered !== false };
  }

  private isInside(ms: number): boolean {
    const { fromMs, toMs } = this.between;
    return (fromMs === null || ms >= fromMs) && (toMs === null || ms < toMs);
  }
}

const OUTSIDE: Outcome = { kind: "left out", reason: "outside of --from and --to" };

/** Events are looked up by it as it is written here. */
function checkUuid({ uuid }: ImportedEvent): void {
  if (parseUuid(uuid) !== uuid) throw new RowRejected("bad_id", `"${uuid}" is no uuid.`);
}

/** The event with the mark of its import. */
export function marked(event: ImportedEvent, importId: string): ImportedEvent {
  const properties: JsonObject = event.properties;
  properties.$import_id = importId;
  return event;
}
