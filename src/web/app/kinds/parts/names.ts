const NULL_VALUE = "$$_posthog_breakdown_null_$$";
const OTHER_VALUE = "$$_posthog_breakdown_other_$$";

/** A value of a breakdown as text; of several properties all of them. */
export function nameOfValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return [value].flat().map(nameOfPart).join(" · ");
}

function nameOfPart(value: unknown): string {
  if (value === "" || value === NULL_VALUE) return "(none)";
  if (value === OTHER_VALUE) return "Other";
  const [, from, to] = /^\[(-?[\d.e+]+),\s*(-?[\d.e+]+)\]$/.exec(String(value)) ?? [];
  return from === undefined ? String(value) : `${from} to ${to}`;
}

/** Whether it stands for all values beyond the limit. */
export const isOther = (value: unknown): boolean => [value].flat().some((one) => one === OTHER_VALUE);
