import { type Catalog, type ColumnType, LAYOUT_MAX_COLUMNS, MAX_KEY_LENGTH } from "../../lake/mod.ts";
import { usageError } from "../../manage/mod.ts";
import { type Db, existingEnvironmentIds } from "../../metadata/mod.ts";
import { TerminalError } from "../../types/mod.ts";

const COLUMN_TYPES: readonly ColumnType[] = ["VARCHAR", "BOOLEAN", "BIGINT", "DOUBLE"];

/** `weir lake pin` and `unpin`; gives what is to be said. Throws TerminalError `invalid_arguments`, `not_found`, `layout_full`. */
export async function pinOrUnpin(
  { db, catalog, usage }: { db: Db; catalog: Catalog; usage: string },
  action: "pin" | "unpin",
  argv: readonly string[],
): Promise<string> {
  const [project = "", key, typeName, ...rest] = argv;
  const teamId = project === "" ? Number.NaN : Number(project);
  if (!Number.isSafeInteger(teamId) || key === undefined || rest.length > 0) throw usageError(`${action} what?`, usage);
  if (key.length > MAX_KEY_LENGTH || key.includes("\0")) {
    throw usageError(`A key has at most ${MAX_KEY_LENGTH} characters, and no NUL.`, usage);
  }
  const type = COLUMN_TYPES.find((known) => known === typeName?.toUpperCase()) ?? null;
  if (typeName !== undefined && (type === null || action === "unpin"))
    throw usageError(`What is "${typeName}"?`, usage);
  const existing = await db.read((tx) => existingEnvironmentIds(tx, [teamId]));
  if (!existing.has(teamId)) throw new TerminalError("not_found", `There is no environment ${project}.`);
  const named = `${JSON.stringify(key)} of project ${teamId}`;
  if (action === "unpin")
    return `${named} ${(await catalog.unpinKey({ teamId, key })) ? "is no longer" : "was not"} pinned.`;
  const layout = await catalog.readLayout(teamId);
  const column = layout.find((known) => known.key === key);
  if (column !== undefined) return `${named} has a column already: p${column.id} ${column.type}.`;
  if (layout.length === LAYOUT_MAX_COLUMNS) {
    throw new TerminalError(
      "layout_full",
      `Project ${teamId} has ${LAYOUT_MAX_COLUMNS} columns; there is no room for more.`,
    );
  }
  await catalog.pinKey({ teamId, key, type });
  return `${named} is pinned: it gets a column within a minute, or an hour of its first value; where only old events have it, and in older files, by and by.`;
}
