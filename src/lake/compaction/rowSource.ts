import { DAY_MS } from "../../types/mod.ts";
import type { LiveSegment } from "../catalog/mod.ts";
import { type StoppableEngine, sqlString, type Variables } from "../engine/mod.ts";
import { keptInOneScan } from "../reading/mod.ts";
import type { SegmentStore } from "../storage/mod.ts";
import { splitVariables, type TypedColumn } from "../typed/mod.ts";
import { isOf, type MergePlan } from "./inspector.ts";
import type { OutputPlan } from "./outputs.ts";
import { ScratchFiles } from "./scratchFiles.ts";
import { groupByLayout, type Layouts, rowsAs } from "./typedRows.ts";

/** A SELECT of rows, and what it reads. */
interface Rows {
  text: string;
  variables: Variables;
  params: string[];
}

type Group = ReturnType<typeof groupByLayout>[number];

/** The rows that an output takes. */
interface Wanted {
  plan: MergePlan;
  output: OutputPlan;
  /** Of the output. */
  columns: readonly TypedColumn[];
  layouts: Layouts;
}

/**
 * Gives the rows of a job's inputs in one scan, for they are sorted (DESIGN.md, Memory). Inputs with other columns than the output are
 * first written with those, as scratch files.
 */
export class RowSource {
  constructor(
    private readonly store: SegmentStore,
    private readonly engine: StoppableEngine,
  ) {}

  /** Calls `body` with the rows; scratch files are gone afterwards. */
  async during<T>(wanted: Wanted, body: (rows: Rows) => Promise<T>): Promise<T> {
    const { plan, output, columns, layouts } = wanted;
    const inputs = plan.inputs.filter((input) => isOf(input, output.teamIds));
    const groups = groupByLayout(inputs, layouts);
    if (groups.length === 1) return body(this.rowsOf(wanted, groups[0]!));
    const alike = groups.find(({ stored }) => stored.length === columns.length) ?? { files: [], stored: columns };
    const scratch = new ScratchFiles(this.store, this.engine, plan.rowGroupRows);
    try {
      for (const group of groups.filter((group) => group !== alike)) {
        const { text, ...read } = this.rowsOf(wanted, group);
        await scratch.write(text, read);
      }
      return await body(this.rowsOf(wanted, alike, scratch.paths));
    } finally {
      await scratch.remove();
    }
  }

  /** Of some files with the same columns, and of scratch files, which have those of the output. */
  private rowsOf({ plan, output, columns }: Wanted, { files, stored }: Group, scratch: readonly string[] = []): Rows {
    const pathOf = ({ id }: LiveSegment) => this.store.locate({ id, part: "rows" });
    const paths = [...scratch, ...files.map(pathOf)].map(sqlString);
    const { erasures } = plan.known;
    const read = () => `read_parquet([${paths.join(", ")}])`;
    const kept = keptInOneScan({ kind: "events", files, erasures, read }, pathOf);
    const params: string[] = [];
    const parameter = (text: string) => `$${params.push(text)}::varchar`;
    const text = rowsAs({ from: `${kept} e where ${condition(output)}`, stored, columns, parameter });
    const added = columns.slice(stored.length);
    return { text, variables: added.length === 0 ? {} : splitVariables(added), params };
  }
}

function condition({ teamIds, fromDay, toDay }: OutputPlan): string {
  return `e.team_id in (${teamIds.join(", ")})
    and e."timestamp" >= make_timestamp_ms(${fromDay * DAY_MS})
    and e."timestamp" < make_timestamp_ms(${(toDay + 1) * DAY_MS})`;
}
