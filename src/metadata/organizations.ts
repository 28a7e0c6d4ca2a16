import { randomUUID } from "node:crypto";
import type { Stored, Tx } from "../store/mod.ts";

/** Who owns all projects of this Weir. */
export interface Organization {
  id: string;
  name: string;
  slug: string;
  createdAtMs: number;
  updatedAtMs: number;
}

interface OrganizationRow {
  id: string;
  name: string;
  slug: string;
  created_at_ms: Stored;
  updated_at_ms: Stored;
}

export async function createOrganization(tx: Tx, o: { name: string; slug: string; nowMs: number }): Promise<string> {
  const id = randomUUID();
  const row = { id, name: o.name, slug: o.slug, created_at_ms: o.nowMs, updated_at_ms: o.nowMs };
  await tx`insert into organizations ${tx(row)}`;
  return id;
}

/** The one organisation, or null before the first start. */
export async function findOrganizationId(tx: Tx): Promise<string | null> {
  const rows: { id: string }[] = await tx`select id from organizations order by created_at_ms, id limit 1`;
  return rows[0]?.id ?? null;
}

export async function findOrganization(tx: Tx, id: string): Promise<Organization | null> {
  const rows: OrganizationRow[] = await tx`select * from organizations where id = ${id}`;
  const row = rows[0];
  if (row === undefined) return null;
  const { name, slug } = row;
  return { id, name, slug, createdAtMs: Number(row.created_at_ms), updatedAtMs: Number(row.updated_at_ms) };
}

export async function renameOrganization(tx: Tx, o: { id: string; name: string; nowMs: number }): Promise<void> {
  await tx`update organizations set name = ${o.name}, updated_at_ms = ${o.nowMs} where id = ${o.id}`;
}
