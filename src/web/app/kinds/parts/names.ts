import type { EntityNode } from "../../question/types.ts";

/** What people call a series or a step. */
export function nameOfEntity(entity: EntityNode): string {
  if (entity.custom_name) return entity.custom_name;
  if (entity.kind === "GroupNode") {
    const names = (entity.nodes ?? []).map(nameOfEntity);
    return names.join(entity.operator === "AND" ? " and " : " or ") || "Several events";
  }
  if (entity.kind === "ActionsNode") return entity.name ?? `Action ${entity.id ?? ""}`.trim();
  return entity.event ?? entity.name ?? "All events";
}

const NULL_VALUE = "$$_posthog_breakdown_null_$$";
const OTHER_VALUE = "$$_posthog_breakdown_other_$$";

/** A value of a breakdown as text; of several properties all of them. */
export function nameOfValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  const parts = Array.isArray(value) ? value : [value];
  return parts.map(nameOfPart).join(" · ");
}

function nameOfPart(value: unknown): string {
  if (value === "" || value === NULL_VALUE) return "(none)";
  if (value === OTHER_VALUE) return "Other";
  return String(value);
}

/** Whether it stands for all values beyond the limit. */
export const isOther = (value: unknown): boolean => [value].flat().some((one) => one === OTHER_VALUE);
