import {
  type Catalog,
  type ColumnType,
  LAYOUT_MAX_COLUMNS,
  MAX_KEY_LENGTH,
  mayHaveColumn,
  openCatalog,
} from "../lake/mod.ts";
import { existingEnvironmentIds } from "../metadata/mod.ts";
import type { Db } from "../store/mod.ts";
import { IMPORT_ID, TerminalError, UsageError } from "../types/mod.ts";
import { unexpected, wholeNumber } from "./kit/command.ts";
import type { Deed } from "./kit/records.ts";

const COLUMN_TYPES: readonly ColumnType[] = ["VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE"];

interface Pin {
  teamId: number;
  key: string;
  /** Null: the type that most values have. */
  type: ColumnType | null;
}

/** `weir lake pin` and `unpin`. Throws UsageError; the deed throws TerminalError `not_found` or `layout_full`. */
export function readPin(action: "pin" | "unpin", words: readonly string[]): Deed {
  const [project, key, typeName, ...rest] = words;
  if (project === undefined || key === undefined) throw new UsageError("PROJECT or KEY is missing.");
  const teamId = wholeNumber("PROJECT", project);
  if (!mayHaveColumn(key)) {
    throw new UsageError(`A key has at most ${MAX_KEY_LENGTH} characters, and no NUL; ${IMPORT_ID} gets no column.`);
  }
  const type = COLUMN_TYPES.find((known) => known === typeName?.toUpperCase()) ?? null;
  const extra = typeName !== undefined && (type === null || action === "unpin") ? typeName : rest[0];
  if (extra !== undefined) throw unexpected(extra);
  return async (db) => ({ text: await pinOrUnpin({ db, catalog: openCatalog(db) }, action, { teamId, key, type }) });
}

async function pinOrUnpin(
  { db, catalog }: { db: Db; catalog: Catalog },
  action: "pin" | "unpin",
  { teamId, key, type }: Pin,
): Promise<string> {
  const existing = await db.read((tx) => existingEnvironmentIds(tx, [teamId]));
  if (!existing.has(teamId)) throw new TerminalError("not_found", `There is no environment ${teamId}.`);
  const named = `${JSON.stringify(key)} of project ${teamId}`;
  if (action === "unpin")
    return `${named} ${(await catalog.unpinKey({ teamId, key })) ? "is no longer" : "was not"} pinned.`;
  const layout = await catalog.readLayout(teamId);
  const column = layout.find((known) => known.key === key);
  if (column !== undefined) return `${named} has a column already: p${column.id} ${column.type}.`;
  if (layout.length === LAYOUT_MAX_COLUMNS) {
    throw new TerminalError(
      "layout_full",
      `Project ${teamId} has ${LAYOUT_MAX_COLUMNS} columns already, the most that a project can have.`,
    );
  }
  await catalog.pinKey({ teamId, key, type });
  return `${named} is pinned. New files get its column within a minute, or within an hour of its first value; older files get it by and by.`;
}
