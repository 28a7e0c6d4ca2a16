import { only } from "../types/mod.ts";
import type { Tx } from "./db.ts";
import { type Fragment, type Listed, type ListPage, type Order, orderOf, selectPage } from "./listing.ts";

/** A statement takes some ten thousand values. */
const ROWS_AT_ONCE = 500;

/** A table of an environment's records, and how a row of it is read. */
export class Table<Row, Item> {
  constructor(
    private readonly name: string,
    readonly fromRow: (row: Row) => Item,
  ) {}

  async insert(tx: Tx, row: object): Promise<Item> {
    const rows: Row[] = await tx`insert into ${tx(this.name)} ${tx(row)} returning *`;
    return this.fromRow(only(rows));
  }

  /** Null where a unique column has the value already. */
  async insertNew(tx: Tx, row: object): Promise<Item | null> {
    const rows: Row[] = await tx`insert into ${tx(this.name)} ${tx(row)} on conflict do nothing returning *`;
    return rows[0] === undefined ? null : this.fromRow(rows[0]);
  }

  /** Those that no unique column has already, some hundred in a statement. */
  async insertAllNew(tx: Tx, rows: readonly object[]): Promise<void> {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      await tx`insert into ${tx(this.name)} ${tx(rows.slice(at, at + ROWS_AT_ONCE))} on conflict do nothing`;
    }
  }

  async update(tx: Tx, id: number | string, columns: object): Promise<void> {
    await tx`update ${tx(this.name)} set ${tx(columns)} where id = ${id}`;
  }

  /** The rows of an environment that meet a condition, in no order. */
  async select(tx: Tx, teamId: number, where: Fragment): Promise<Item[]> {
    const rows: Row[] = await tx`select * from ${tx(this.name)} where team_id = ${teamId} and ${where}`;
    return rows.map(this.fromRow);
  }

  /** The row of an environment that meets a condition; null where there is none. */
  async find(tx: Tx, teamId: number, where: Fragment): Promise<Item | null> {
    return (await this.select(tx, teamId, where))[0] ?? null;
  }

  /** A page of the rows of an environment that meet a condition. */
  page(tx: Tx, teamId: number, where: Fragment, page: ListPage, more: Order = {}): Promise<Listed<Item>> {
    const isListed = tx`team_id = ${teamId} and ${where}`;
    const order = orderOf(tx, page, more);
    return selectPage(tx, { table: this.name, where: isListed, order, read: this.fromRow }, page);
  }
}
