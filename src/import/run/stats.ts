import type { Json } from "../../types/mod.ts";
import type { Fields } from "../fields.ts";
import type { Row } from "../reading/mod.ts";
import type { RejectReason } from "../types.ts";
import type { RejectExample } from "./counts.ts";
import type { Outcome } from "./judge.ts";
import type { Rows } from "./walk.ts";

const NAMES_MAX = 10_000;
const EXAMPLES = 3;
const IDS_MAX = 1_000_000;
const RAW_SHOWN = 200;

/** What a dry run tells of the rows. */
export class Stats {
  fromMs = Number.POSITIVE_INFINITY;
  toMs = Number.NEGATIVE_INFINITY;
  readonly events = new Map<string, number>();
  readonly examples = new Map<RejectReason, RejectExample[]>();
  /** Columns that nothing uses, with the rows that have them. */
  readonly unused = new Map<string, number>();
  /** Of each property the types of its values. */
  readonly types = new Map<string, Map<string, number>>();
  /** Hashes of distinct ids: exact up to a million, none more are kept. */
  private readonly ids = new Set<bigint>();
  eventBytes = 0;
  hasMoreIds = false;

  look({ file }: Rows, row: Row, outcome: Outcome, fields: Fields | null, json: string): void {
    if (outcome.kind === "rejected") {
      const { reason, message } = outcome.rejected;
      const examples = this.examples.get(reason) ?? [];
      this.examples.set(reason, examples);
      if (examples.length < EXAMPLES) {
        examples.push({ place: `${file}:${row.line}`, message, raw: row.raw().slice(0, RAW_SHOWN) });
      }
      return;
    }
    if (fields !== null && outcome.kind !== "left out") for (const name of fields.unused()) add(this.unused, name);
    if (outcome.kind !== "event") return;
    const { event, atMs } = outcome;
    this.fromMs = Math.min(this.fromMs, atMs);
    this.toMs = Math.max(this.toMs, atMs);
    this.eventBytes += json.length;
    add(this.events, event.event);
    if (this.ids.size < IDS_MAX) this.ids.add(Bun.hash.wyhash(event.distinct_id));
    else this.hasMoreIds = true;
    for (const [name, value] of Object.entries(event.properties)) this.lookAtType(name, value);
  }

  private lookAtType(name: string, value: Json): void {
    if (value === null) return;
    let types = this.types.get(name);
    if (types === undefined) {
      if (this.types.size >= NAMES_MAX) return;
      types = new Map();
      this.types.set(name, types);
    }
    add(types, typeName(value));
  }

  get distinctIds(): number {
    return this.ids.size;
  }
}

function add(counts: Map<string, number>, name: string): void {
  const count = counts.get(name);
  if (count === undefined && counts.size >= NAMES_MAX) return;
  counts.set(name, (count ?? 0) + 1);
}

function typeName(value: Json): string {
  if (Array.isArray(value)) return "list";
  if (typeof value === "bigint") return "number";
  if (typeof value === "object" && value !== null && "rawJSON" in value) return "number";
  return typeof value;
}
