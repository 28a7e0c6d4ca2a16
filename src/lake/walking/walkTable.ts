import { type Found, NO_CODE, textOf, walkerOf } from "../../walk/mod.ts";
import { FoundRows, type ShownRows } from "./foundRows.ts";
import { FoundTable } from "./foundTable.ts";
import { JourneyRows } from "./journeyRows.ts";
import type { RowSource } from "./rowSource.ts";
import type { WalkSession } from "./session.ts";
import { SortedRows } from "./sortedRows.ts";
import type { WalkStatement } from "./statement.ts";

/**
 * The table of a walk. Its rows stream through one connection, what is found goes through another, since a connection does one
 * thing at a time. The walker sees numbers only: actors that are none, and values, get codes.
 */
export class WalkTable {
  constructor(
    private readonly walk: WalkStatement,
    private readonly session: WalkSession,
  ) {}

  /** Errors: DuckDB's own; FileUnreadable. */
  async fill(): Promise<void> {
    const { walk, session } = this;
    // The view is made while the walk goes, where the connection has nothing else to do then.
    let showing: Promise<void> | null = null;
    try {
      const table = await walked(walk, session, async (found, rows) => {
        const made = new FoundTable(walk.table, found, rows);
        await made.create(session);
        showing = rows.isStreamed ? null : made.show(session);
        return made;
      });
      table.finish();
      await (showing ?? table.show(session));
    } finally {
      await (showing as Promise<void> | null)?.catch(() => {});
    }
  }

  /** Leaves nothing behind that another connection sees. */
  async drop(): Promise<void> {
    await this.session.beside.run(`drop table if exists ${this.walk.table}_found`);
  }
}

/** Columns of the table of a walk, which is not made for it (`shownColumns`). Errors: as of `fill`. */
export async function shownOf(walk: WalkStatement, columns: number[], session: WalkSession): Promise<ShownRows> {
  const rows = await walked(walk, session, (found) => new FoundRows(found, columns));
  return rows.json(walk.table, session);
}

/** Goes through the rows of a walk. `into` is told of what the walker finds, before it does, and gives what that is appended to. */
async function walked<Into extends { append(found: Found): void }>(
  walk: WalkStatement,
  session: WalkSession,
  into: (found: Found, rows: RowSource) => Into | Promise<Into>,
): Promise<Into> {
  const rows = walk.journeys === null ? await SortedRows.of(walk, session) : await JourneyRows.of(walk, session);
  const known = { code: await codeOf(walk, session), madeMs: rows.madeMs };
  const walker = walkerOf(walk.program, (found) => taker.append(found), known);
  const taker = await into(walker.found, rows);
  await rows.walk(walker, (found) => taker.append(found));
  walker.end();
  return taker;
}

/** The code of the text that the walker asks for. */
async function codeOf({ program, table }: WalkStatement, session: WalkSession): Promise<number> {
  const text = textOf(program);
  if (text === null) return NO_CODE;
  const [[code = NO_CODE] = []] = await session.rows(`select code from ${table}_values where value = $1::varchar`, [
    text,
  ]);
  return Number(code);
}
