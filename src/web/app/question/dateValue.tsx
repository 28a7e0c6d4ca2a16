import { useState } from "preact/hooks";
import { Segments, Select } from "../ui/field.tsx";
import { dateOfShift, partsOf, type Shift, shiftOf, UNITS, type Unit } from "./dateText.ts";
import { valuesOf } from "./operators.ts";
import type { PropertyFilter } from "./types.ts";

const CHOICES = [
  { value: "ago", label: "Some time ago" },
  { value: "day", label: "A date" },
] as const;
const UNIT_CHOICES = Object.entries(UNITS).map(([value, name]) => ({ value: value as Unit, label: `${name}s` }));
const FIRST: Shift = { amount: 7, unit: "d" };

interface DateValueProps {
  filter: PropertyFilter;
  onChange(filter: PropertyFilter): void;
}

/** A time that a property is compared with: so long ago, or a day, with a time of day if one likes. */
export function DateValue({ filter, onChange }: DateValueProps) {
  const given = String(valuesOf(filter)[0] ?? "");
  const [form, setForm] = useState<"ago" | "day">(partsOf(given) === null ? "ago" : "day");
  const tell = (value: string | null) => onChange({ ...filter, value });
  const parts = partsOf(given);
  const shift = shiftOf(given);
  const choose = (next: "ago" | "day") => {
    setForm(next);
    tell(next === "ago" ? dateOfShift(FIRST) : null);
  };
  return (
    <div class="filter-value date-value">
      <Segments label="Form of the date" value={form} choices={CHOICES} onChange={choose} />
      {form === "ago" ? (
        <Ago shift={shift} onChange={(next) => tell(next === null ? null : dateOfShift(next))} />
      ) : (
        <span class="inputs">
          <input
            class="input"
            type="date"
            aria-label="Date"
            value={parts?.day ?? ""}
            onInput={({ currentTarget: { value } }) => tell(value === "" ? null : join(value, parts?.time ?? null))}
          />
          <input
            class="input"
            type="time"
            aria-label="Time of day, if you like"
            value={parts?.time ?? ""}
            disabled={parts === null}
            onInput={({ currentTarget: { value } }) => tell(join(parts?.day ?? "", value === "" ? null : value))}
          />
        </span>
      )}
    </div>
  );
}

const join = (day: string, time: string | null) => (time === null ? day : `${day}T${time}`);

/** So many units. */
export function Ago({ shift, onChange }: { shift: Shift | null; onChange(shift: Shift | null): void }) {
  const [text, setText] = useState(shift === null ? "" : String(shift.amount));
  const unit = shift?.unit ?? FIRST.unit;
  const change = (next: string, of: Unit) => {
    setText(next);
    const amount = /^\d{1,5}$/.test(next.trim()) ? Number(next) : 0;
    onChange(amount === 0 ? null : { amount, unit: of });
  };
  return (
    <span class="inputs">
      <input
        class="input amount"
        aria-label="How many"
        inputMode="numeric"
        placeholder="7"
        value={text}
        onInput={(event) => change(event.currentTarget.value, unit)}
      />
      <Select label="Unit" value={unit} choices={UNIT_CHOICES} onChange={(next) => change(text, next)} />
    </span>
  );
}
