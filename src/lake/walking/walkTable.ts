import { NO_CODE, textOf, walkerOf } from "../../walk/mod.ts";
import { FoundTable } from "./foundTable.ts";
import { JourneyRows } from "./journeyRows.ts";
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
    const rows = walk.journeys === null ? await SortedRows.of(walk, session) : await JourneyRows.of(walk, session);
    const known = { code: await this.code(), madeIn: rows.madeIn };
    const walker = walkerOf(walk.program, (found) => table.append(found), known);
    const table = new FoundTable(walk.table, walker.found, rows);
    await table.create(session);
    // The view is made while the walk goes, where the connection has nothing else to do then.
    const showing = rows.isStreamed ? null : table.show(session);
    const shown = showing?.catch(() => {});
    try {
      await rows.walk(walker, (found) => table.append(found));
    } finally {
      await shown;
    }
    walker.end();
    table.finish();
    await (showing ?? table.show(session));
  }

  /** Of the text that the walker asks for. */
  private async code(): Promise<number> {
    const text = textOf(this.walk.program);
    if (text === null) return NO_CODE;
    const [[code = NO_CODE] = []] = await this.session.rows(
      `select code from ${this.walk.table}_values where value = $1::varchar`,
      [text],
    );
    return Number(code);
  }

  /** Leaves nothing behind that another connection sees. */
  async drop(): Promise<void> {
    await this.session.beside.run(`drop table if exists ${this.walk.table}_found`);
  }

  close(): void {
    this.session.beside.closeSync();
  }
}
