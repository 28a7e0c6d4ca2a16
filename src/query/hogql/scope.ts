import type { QueryContext } from "../context.ts";
import { HogqlError } from "../errors.ts";
import { jsonValue } from "./convert.ts";
import { nearest } from "./nearest.ts";
import type { OutputColumn, Source } from "./schema.ts";
import type { Expression, Field } from "./tree.ts";
import type { TimeBounds, Value } from "./types.ts";

/** What stands for `{name}`, and how it bounds the time of events. */
export interface PlaceholderValue {
  compile: (scope: Scope) => Value;
  bounds: TimeBounds | null;
}

/** What one compilation shares. */
export interface Compilation {
  context: QueryContext;
  /** Values of placeholders that are known. */
  placeholders: ReadonlyMap<string, PlaceholderValue>;
  /** The time that each use of the table of events is bounded to. */
  bounds: TimeBounds[];
  nextAlias: () => number;
}

/** A name of WITH: its SQL name and columns, or an expression. */
export type Named = { sqlName: string; columns: OutputColumn[] } | { expression: Expression };

/** What names mean inside one SELECT. Subqueries see the names of WITH, not the columns around them. */
export class Scope {
  readonly sources: Source[] = [];
  readonly aliases = new Map<string, { value: Value; node: Expression }>();
  /** Columns that USING has made one: they need no table's name. */
  readonly merged = new Set<string>();

  constructor(
    readonly compilation: Compilation,
    readonly ctes: ReadonlyMap<string, Named>,
  ) {}

  /** Finds a field: a table's name and its field, an alias, a column. Errors: HogqlError with the place. */
  resolve(field: Field): Value {
    const { chain } = field;
    const [first, ...rest] = chain;
    const at = [field.start?.offset ?? null, field.end?.offset ?? null] as const;
    const qualified = rest.length > 0 ? this.named(String(first)) : [];
    if (qualified.length === 1) {
      const found = qualified[0]!.field(rest);
      if (found !== null) return readInto(found.value, rest.slice(found.used), field);
    }
    const alias = this.aliases.get(String(first));
    if (alias !== undefined) return readInto(alias.value, rest, field);
    const found = this.sources.map((source) => source.field(chain)).filter((candidate) => candidate !== null);
    if (found.length > 1 && !(this.merged.has(String(first)) && found[0]!.used === 1)) {
      throw new HogqlError(`Ambiguous query. Found multiple sources for field: ${first}.`, ...at);
    }
    if (found.length > 0) return readInto(found[0]!.value, chain.slice(found[0]!.used), field);
    throw new HogqlError(`Unable to resolve field: ${chain.join(".")}${this.hint(chain, qualified)}`, ...at);
  }

  /** The tables that a name stands for: an alias hides a table of that name. */
  named(name: string): Source[] {
    const aliased = this.sources.filter((source) => source.alias === name);
    return aliased.length > 0 ? aliased : this.sources.filter((source) => source.table === name);
  }

  /** The first table of events. */
  events(): Source["events"] {
    return this.sources.find((source) => source.events !== undefined)?.events;
  }

  private hint([first, second]: readonly (string | number)[], qualified: readonly Source[]): string {
    const known = qualified.length > 0 ? qualified : this.sources;
    const wrong = String(qualified.length > 0 ? second : first);
    const near = nearest(
      wrong,
      known.flatMap((source) => source.names()),
    );
    return near === null ? "" : `. Perhaps you meant '${near}'?`;
  }
}

/** Reads further into a JSON value: `.key`, `['key']`, `.1`, `[1]`. */
export function readInto(from: Value, path: readonly (string | number)[], node: Expression): Value {
  if (path.length === 0) return from;
  if (!from.type.isJson) {
    throw new HogqlError(`Can not access property "${path[0]}": it is not JSON.`, node.start?.offset, node.end?.offset);
  }
  const base = from.json ?? { text: from.sql, path: [] };
  return jsonValue(base.text, [...base.path, ...path], [from]);
}
