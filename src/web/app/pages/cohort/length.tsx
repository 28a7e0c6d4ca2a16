import { Select } from "../../ui/field.tsx";
import { NumberField } from "../../ui/numberField.tsx";
import { INTERVALS } from "./behavior.ts";

const AMOUNT_MAX = 10_000;

interface LengthProps {
  label: string;
  amount: number | null | undefined;
  unit: string | null | undefined;
  onChange(amount: number | undefined, unit: string): void;
}

/** So many days, weeks or months. */
export function Length({ label, amount, unit, onChange }: LengthProps) {
  const of = unit ?? "day";
  const choices = INTERVALS.map((value) => ({ value: value as string, label: amount === 1 ? value : `${value}s` }));
  return (
    <>
      <NumberField
        label={label}
        isQuiet
        min={1}
        max={AMOUNT_MAX}
        value={amount ?? undefined}
        onChange={(value) => onChange(value, of)}
      />
      <Select
        label={`${label}, unit`}
        value={of}
        choices={choices}
        onChange={(next) => onChange(amount ?? undefined, next)}
      />
    </>
  );
}
