import { numberOrNull, type Stored, type Tx } from "../store/mod.ts";

/** A product that a user wants to use in an environment, and the progress of its onboarding. */
export interface ProductIntent {
  productType: string;
  createdAtMs: number;
  updatedAtMs: number;
  onboardingCompletedAtMs: number | null;
}

interface IntentRow {
  product_type: string;
  created_at_ms: Stored;
  updated_at_ms: Stored;
  onboarding_completed_at_ms: Stored | null;
}

function fromRow(row: IntentRow): ProductIntent {
  const { product_type: productType, onboarding_completed_at_ms: completed } = row;
  return {
    productType,
    createdAtMs: Number(row.created_at_ms),
    updatedAtMs: Number(row.updated_at_ms),
    onboardingCompletedAtMs: numberOrNull(completed),
  };
}

/** Records an intent, or that it came again; `isOnboarded`: the product's onboarding is done. */
export async function noteProductIntent(
  tx: Tx,
  o: { teamId: number; productType: string; context: string | null; isOnboarded: boolean; nowMs: number },
): Promise<{ before: ProductIntent | null; after: ProductIntent }> {
  const same = tx`team_id = ${o.teamId} and product_type = ${o.productType}`;
  const known: IntentRow[] = await tx`select * from product_intents where ${same}`;
  const before = known[0] === undefined ? null : fromRow(known[0]);
  const completedAtMs = o.isOnboarded ? o.nowMs : (before?.onboardingCompletedAtMs ?? null);
  const after = {
    productType: o.productType,
    createdAtMs: before?.createdAtMs ?? o.nowMs,
    updatedAtMs: o.nowMs,
    onboardingCompletedAtMs: completedAtMs,
  };
  const row = {
    team_id: o.teamId,
    product_type: o.productType,
    context: o.context,
    created_at_ms: after.createdAtMs,
    updated_at_ms: after.updatedAtMs,
    onboarding_completed_at_ms: completedAtMs,
  };
  await tx`insert into product_intents ${tx(row)}
    on conflict (team_id, product_type) do update set context = coalesce(excluded.context, product_intents.context),
      updated_at_ms = excluded.updated_at_ms,
      onboarding_completed_at_ms = coalesce(excluded.onboarding_completed_at_ms, product_intents.onboarding_completed_at_ms)`;
  return { before, after };
}

/** Those of one environment, oldest first. */
export async function listProductIntents(tx: Tx, teamId: number): Promise<ProductIntent[]> {
  const rows: IntentRow[] =
    await tx`select * from product_intents where team_id = ${teamId} order by created_at_ms, product_type`;
  return rows.map(fromRow);
}
