import type { EventRow } from "../../types/mod.ts";
import type { Catalog } from "../catalog/mod.ts";
import { chooseColumns, MIN_EVENT_ROWS, type TypedColumn } from "../typed/mod.ts";
import { sampleKeys } from "./sample.ts";
import type { EventsPart } from "./segmentWriter.ts";
import { inFiles } from "./textSizes.ts";

/** A project with fewer events in a flush shares a file with others, and gets columns from compaction. */
const OWN_FILE_MIN_ROWS = 1_000;
/** A line of a raw file has a field for each; compaction adds the rest of the layout. */
const FLUSH_MAX_COLUMNS = 40;
/** How often a project is looked at for new keys. */
const LOOK_MS = 60_000;

/** With which typed columns the events of a flush are written. Layouts only grow, so one that is a little old does no harm. */
export class FlushLayouts {
  private readonly known = new Map<number, { columns: readonly TypedColumn[]; atMs: number }>();

  constructor(
    private readonly catalog: Pick<Catalog, "growLayout">,
    private readonly now: () => number,
  ) {}

  /** The rows as parts: of each project that has many, and of all others; one of each unless many rows are wide. */
  async partsOf(rows: readonly EventRow[]): Promise<EventsPart[]> {
    const parts: EventsPart[] = [];
    const others: EventRow[] = [];
    for (const [teamId, own] of groupByTeam(rows)) {
      if (own.length < OWN_FILE_MIN_ROWS) for (const row of own) others.push(row);
      else parts.push(...inParts(own, await this.columnsOf(teamId, own)));
    }
    return others.length === 0 ? parts : [...parts, ...inParts(others, [])];
  }

  private async columnsOf(teamId: number, rows: readonly EventRow[]): Promise<readonly TypedColumn[]> {
    const known = this.known.get(teamId);
    if (known !== undefined && this.now() - known.atMs < LOOK_MS) return known.columns;
    const wanted = chooseColumns(sampleKeys(rows, MIN_EVENT_ROWS));
    const layout = await this.catalog.growLayout(teamId, wanted);
    const columns = layout.slice(0, FLUSH_MAX_COLUMNS);
    this.known.set(teamId, { columns, atMs: this.now() });
    return columns;
  }
}

function inParts(rows: readonly EventRow[], columns: readonly TypedColumn[]): EventsPart[] {
  return inFiles(rows).map((some) => ({ rows: some, columns }));
}

function groupByTeam(rows: readonly EventRow[]): Map<number, readonly EventRow[]> {
  const first = rows[0]?.teamId;
  if (first !== undefined && rows.every(({ teamId }) => teamId === first)) return new Map([[first, rows]]);
  return Map.groupBy(rows, ({ teamId }) => teamId);
}
