/** Columns of a log segment's Parquet file, in order. Columns that a kind of row does not use are NULL. */
export const LOG_COLUMNS = {
  team_id: "BIGINT",
  class: "UTINYINT",
  /** distinct_id, or key of the group. */
  subject: "VARCHAR",
  /** The id in event rows of the distinct_id. */
  person_id: "UUID",
  op: "UTINYINT",
  key: "VARCHAR",
  /** JSON text; of `first` and `earlier` an object with many, which compaction writes one by one. */
  value: "VARCHAR",
  t_ms: "BIGINT",
  source: "UTINYINT",
  ordinal: "BIGINT",
  /** Of `seen`. */
  at_ms: "BIGINT",
  /** Of nodes; and of a row that is `ALONE`, where the person is another one than its id's. */
  survivor_id: "UUID",
  is_identified: "BOOLEAN",
  moves: "STRUCT(into_id UUID, t_ms BIGINT, ordinal BIGINT)[]",
} as const;

/** Numbers in the column `class`: what the row is of. Groups follow by their index. Stored: never renumber. */
export const CLASS = { identity: 0, person: 1, group0: 2 } as const;

/** Numbers in the column `op`. Stored: never renumber. */
export const OP = { identity: 0, seen: 1, set: 2, once: 3, unset: 4, first: 5, earlier: 6 } as const;

/**
 * Added to the `op` of a row that is the only one of its file about that property of its person, as the nodes of the file
 * determine that person. Compaction marks sets and onces with it, for readers of the base of the log.
 */
export const ALONE = 8;

/** One key over all persons is what queries read most, so keys are together. */
export const LOG_ORDER = "team_id, class, key, person_id, subject";

const TIME_UNIT = 2n ** 56n;
const SOURCE_UNIT = 2n ** 54n;
/** Above every version, as `VERSION` makes them. */
export const ABOVE_VERSIONS = 2n ** 120n;

/**
 * SQL text of a row's version as one HUGEINT that compares like `compareVersions`. It is made while reading: Parquet
 * has no such type. An ordinal has at most 53 bits, a source 2, a time 53 and a sign.
 */
export const VERSION = `(t_ms::hugeint * ${TIME_UNIT} + source::hugeint * ${SOURCE_UNIT} + ordinal)`;

/** The same of an element of `moves`: merges have source 0. */
export const moveVersion = (move: string): string => `(${move}.t_ms::hugeint * ${TIME_UNIT} + ${move}.ordinal)`;
