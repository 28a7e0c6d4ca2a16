import { EventFlag, type EventRow } from "../../types/mod.ts";
import { decoded, encoded } from "../engine/mod.ts";
import {
  columnName,
  describeLayout,
  fileColumns,
  jsonColumn,
  LANE_NUMBER,
  PERSON_MODE_NUMBER,
  Splitter,
  type TypedColumn,
} from "../typed/mod.ts";
import type { RawLine, RowsFormat } from "./rowsFile.ts";

const HEAD_COLUMNS = {
  team_id: "BIGINT",
  uuid: "UUID",
  event: "VARCHAR",
  distinct_id: "VARCHAR",
  person_id: "UUID",
  timestamp_ms: "BIGINT",
  created_at_ms: "BIGINT",
  lane: "UTINYINT",
  ordinal: "BIGINT",
  person_mode: "UTINYINT",
  elements_chain: "VARCHAR",
};

/** SQL of columns of the Parquet file that are made from raw columns. */
const MADE: Record<string, string> = {
  event: decoded("event"),
  distinct_id: decoded("distinct_id"),
  elements_chain: decoded("elements_chain"),
  timestamp: "make_timestamp(timestamp_ms * 1000)",
  created_at: "make_timestamp(created_at_ms * 1000)",
};

/** Events in the order given, their properties split into typed columns (none: kept whole, as the client wrote them). */
export class EventsFormat implements RowsFormat<EventRow> {
  readonly rawColumns: Record<string, string>;
  readonly metadata: { name: string; json: string };
  private readonly splitter: Splitter | null;

  constructor(readonly columns: readonly TypedColumn[]) {
    const typed = columns.map((column) => [columnName(column), column.type]);
    this.rawColumns = { ...HEAD_COLUMNS, ...Object.fromEntries(typed), [jsonColumn(columns.length)]: "VARCHAR" };
    this.metadata = { name: "weir_columns", json: describeLayout(columns) };
    this.splitter = columns.length === 0 ? null : new Splitter(columns);
  }

  /** Ids of the columns whose key some row that was written may have outside its column. */
  get exceptions(): number[] {
    return this.splitter?.exceptions ?? [];
  }

  select = (raw: string): string => {
    const made = fileColumns(this.columns).map((name) => (name in MADE ? `${MADE[name]} as "${name}"` : name));
    return `select ${made.join(", ")} from ${raw}`;
  };

  lineWriter(): ReturnType<RowsFormat<EventRow>["lineWriter"]> {
    const { splitter } = this;
    return (row, line) => {
      writeHead(row, line);
      if (splitter === null) line.text(row.properties);
      else splitter.write(row.properties, line);
    };
  }

  control(model: EventRow): EventRow {
    const nil = "00000000-0000-0000-0000-000000000000";
    const texts = { event: "control", distinctId: "control", properties: "{}", elementsChain: "" };
    return { ...model, ...texts, teamId: 1, uuid: nil, personId: nil, timestampMs: 0, createdAtMs: 0, ordinal: 0 };
  }
}

/** All columns before the properties. */
function writeHead(row: EventRow, line: RawLine): void {
  line.field(row.teamId);
  line.field(row.uuid);
  line.field(encoded(row.event));
  line.field(encoded(row.distinctId));
  line.field(row.personId);
  line.field(row.timestampMs);
  line.field(row.createdAtMs);
  line.field(LANE_NUMBER[row.lane]);
  line.field(row.ordinal);
  line.field(row.flags & EventFlag.Personless ? PERSON_MODE_NUMBER.propertyless : PERSON_MODE_NUMBER.full);
  line.field(row.elementsChain === "" ? "" : encoded(row.elementsChain));
}
