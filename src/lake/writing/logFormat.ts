import type { LogRow } from "../../types/mod.ts";
import { decoded, encoded, NULL } from "../engine/mod.ts";
import { CLASS, LOG_COLUMNS, OP } from "../people/mod.ts";
import type { RawLine, RowsFormat } from "./rowsFile.ts";

/** Rows of the log in the order given: sorting would double the cost, and compaction does it. `content` is the value, the time of `seen`, or an identity node as JSON. */
export const LOG_FORMAT: RowsFormat<LogRow> = {
  rawColumns: {
    team_id: "BIGINT",
    class: "UTINYINT",
    subject: "VARCHAR",
    person_id: "UUID",
    t_ms: "BIGINT",
    source: "UTINYINT",
    ordinal: "BIGINT",
    op: "UTINYINT",
    key: "VARCHAR",
    content: "VARCHAR",
  },
  select: (raw) => `select team_id, class, ${decoded("subject")} as subject, person_id, op, ${decoded("key")} as key,
      case when op in (${OP.set}, ${OP.once}, ${OP.first}, ${OP.earlier}) then content end as value, t_ms, source, ordinal,
      case when op = ${OP.seen} then content::bigint end as at_ms,
      node.survivor_id, node.is_identified, node.moves
    from (select *, case when op = ${OP.identity} then from_json(content, '${NODE_SHAPE}')::${NODE_TYPE} end as node from ${raw})`,
  lineWriter,
  control(model) {
    const version = { tMs: 0, source: 0, ordinal: 0 };
    const subject = { type: "group", index: 0, key: "control" } as const;
    return { kind: "property", teamId: model.teamId, version, subject, op: "set", key: "control", value: "0" };
  },
};

const NODE_TYPE = `STRUCT(survivor_id ${LOG_COLUMNS.survivor_id}, is_identified ${LOG_COLUMNS.is_identified}, moves ${LOG_COLUMNS.moves})`;
const NODE_SHAPE = JSON.stringify({
  survivor_id: "VARCHAR",
  is_identified: "BOOLEAN",
  moves: [{ into_id: "VARCHAR", t_ms: "BIGINT", ordinal: "BIGINT" }],
});

/** Keys are few and come again and again. */
const KNOWN_KEYS_MAX = 10_000;

function lineWriter(): (row: LogRow, line: RawLine) => void {
  const keys = new Map<string, string>();
  return (row, line) => {
    const { tMs, source, ordinal } = row.version;
    line.field(row.teamId);
    writeSubject(row, line);
    line.field(tMs);
    line.field(source);
    line.field(ordinal);
    line.field(row.kind === "property" ? OP[row.op] : OP[row.kind]);
    line.field(row.kind === "property" ? knownKey(row.key, keys) : NULL);
    line.text(contentOf(row));
  };
}

function writeSubject(row: LogRow, line: RawLine): void {
  if (row.kind === "identity") {
    line.field(CLASS.identity);
    line.field(encoded(row.distinctId));
    line.field(row.personId);
  } else if (row.subject.type === "person") {
    line.field(CLASS.person);
    line.field(encoded(row.subject.distinctId));
    line.field(row.subject.personId);
  } else {
    line.field(CLASS.group0 + row.subject.index);
    line.field(encoded(row.subject.key));
    line.field(NULL);
  }
}

function contentOf(row: LogRow): string {
  if (row.kind === "property") return row.value;
  if (row.kind === "seen") return String(row.atMs);
  if (row.kind !== "identity") return row.values;
  const moves = row.moves.map(({ into, tMs, ordinal }) => ({ into_id: into, t_ms: tMs, ordinal }));
  return JSON.stringify({ survivor_id: row.survivorId, is_identified: row.isIdentified, moves });
}

function knownKey(key: string, keys: Map<string, string>): string {
  let text = keys.get(key);
  if (text === undefined) {
    text = encoded(key);
    if (keys.size < KNOWN_KEYS_MAX) keys.set(key, text);
  }
  return text;
}
