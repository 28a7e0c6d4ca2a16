import { isJsonObject, type JsonObject } from "../types/mod.ts";
import { type Inside, isMomentary, isMomentaryHogql, lookInside } from "./filter/inside.ts";
import type { Ages, Kind, Overrides, ReadQuery, SavedKind, Table } from "./kinds/kind.ts";
import { ANSWERED, isAnswered, kindOf, SAVED } from "./kinds/mod.ts";
import { invalidQuery, notSupported } from "./shape/errors.ts";
import { asObject, shown } from "./shape/shapes.ts";
import type { QueryContext } from "./source/context.ts";
import type { Calendar } from "./time/dates.ts";

/** Kinds that only say how to show what their source gives. */
export const WRAPPERS: ReadonlySet<string> = new Set(["InsightVizNode", "DataTableNode", "DataVisualizationNode"]);
const MAX_WRAPPERS = 4;

const isWrapper = ({ kind }: JsonObject): boolean => WRAPPERS.has(String(kind));

/** The node with another source inside its wrappers; the same object where `change` gives the source itself. */
export function withSource(node: JsonObject, change: (source: JsonObject) => JsonObject): JsonObject {
  const { source } = node;
  if (!isWrapper(node) || !isJsonObject(source)) return change(node);
  const changed = withSource(source, change);
  return changed === source ? node : { ...node, source: changed };
}

/** The node as it is asked under overrides; the same object where these change nothing. */
export function overridden(node: JsonObject, overrides: Overrides): JsonObject {
  return withSource(node, (source) => kindOf(source).override(source, overrides));
}

/** What a calendar and settings must say for the basis of an answer. */
export type BasisContext = Calendar & Pick<QueryContext, "testAccountFilters">;

/** A query node on its way through Weir. Its shape is checked once, when something first depends on it. */
export class ParsedQuery {
  /** The node inside its wrappers. */
  readonly source: JsonObject;
  readonly kind: SavedKind;
  private readonly wrappers: number;
  private known: { query: ReadQuery; inside: Inside } | null = null;

  constructor(readonly node: JsonObject) {
    let [source, wrappers] = [node, 0];
    for (; isWrapper(source) && isJsonObject(source.source); wrappers++) source = source.source;
    this.source = source;
    this.wrappers = wrappers;
    this.kind = kindOf(source);
  }

  get ages(): Ages {
    return this.kind.ages(this.source);
  }

  /** What was answered to it as a table; null for a kind that is not answered. */
  table(response: JsonObject): Table | null {
    return isAnswered(this.kind) ? this.kind.table(response) : null;
  }

  /** Errors: TerminalError `invalid_query` that names the place. */
  get query(): ReadQuery {
    return this.read().query;
  }

  /** The HogQL expressions inside of it, but for those that only some kinds have. Errors: as of `query`. */
  hogqlInside({ testAccountFilters }: BasisContext): ReadonlySet<string> {
    const { query, inside } = this.read();
    return query.filterTestAccounts ? inside.hogql.union(lookInside(testAccountFilters).hogql) : inside.hogql;
  }

  /**
   * The dates that it means now (engine rule 21): as long as they and the stored data stay the same, so does the
   * answer. Null where the moment itself is part of the question, so that no two answers need be equal, and where there is no
   * answer. What cohorts and actions say is not known here, but once the query has been run: see `WatchedRecords`.
   */
  basis(context: BasisContext): string | null {
    try {
      const { query, inside } = this.read();
      if (query.texts.some(isMomentaryHogql) || isMomentary(inside)) return null;
      if (query.filterTestAccounts && isMomentary(lookInside(context.testAccountFilters))) return null;
      return query.dates(context);
    } catch {
      return null;
    }
  }

  private read() {
    if (this.known === null) {
      const query = this.checkedKind().read(this.source);
      this.known = { query, inside: lookInside(query.filters) };
    }
    return this.known;
  }

  private checkedKind(): Kind {
    const { kind, source, wrappers } = this;
    if (wrappers > MAX_WRAPPERS) throw invalidQuery("source", "too many wrappers");
    if (isWrapper(source)) asObject(source.source ?? null, "source");
    if (isAnswered(kind)) return kind;
    if (SAVED.includes(kind)) throw notSupported("kind", kind.name);
    const problem = source.kind === undefined ? "is missing" : `unknown kind ${shown(source.kind)}`;
    throw invalidQuery("kind", `${problem}; it is one of ${ANSWERED.map(({ name }) => name).join(", ")}`);
  }
}
