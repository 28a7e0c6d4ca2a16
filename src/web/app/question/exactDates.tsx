import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Checkbox } from "../ui/field.tsx";
import { absoluteRange, partsOf } from "./dateText.ts";
import { useFocusAtFirst } from "./focusAtFirst.ts";
import type { DateRange } from "./types.ts";

interface ExactDatesProps {
  value: DateRange;
  onChange(value: DateRange): void;
  onDone(): void;
}

type CalendarPart = ComponentType<{ from: string; to: string; onChange(from: string, to: string): void }>;
const DAY_MS = 86_400_000;
const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Two days, typed or from the calendar, with times of day if one likes. Told when both are there. */
export function ExactDates({ value, onChange, onDone }: ExactDatesProps) {
  const [from, setFrom] = useState(partsOf(value.date_from)?.day ?? day(Date.now() - 7 * DAY_MS));
  const [to, setTo] = useState(partsOf(value.date_to)?.day ?? day(Date.now()));
  const given = { from: partsOf(value.date_from)?.time ?? null, to: partsOf(value.date_to)?.time ?? null };
  const [hasTimes, setTimes] = useState(given.from !== null || given.to !== null);
  const [times, setBoth] = useState({ from: given.from ?? "00:00", to: given.to ?? "23:59" });
  const Calendar = useCalendar();
  const first = useFocusAtFirst<HTMLInputElement>();
  const isGood = from !== "" && to !== "" && (!hasTimes || (times.from !== "" && times.to !== ""));
  const apply = () => {
    if (!isGood) return;
    onChange(absoluteRange(from, to, hasTimes ? times : null));
    onDone();
  };
  const end = (label: string, at: "from" | "to", text: string, set: (text: string) => void) => (
    <span class="inputs">
      <span class="end" aria-hidden="true">
        {label}
      </span>
      <input
        ref={at === "from" ? first : undefined}
        class="input"
        type="date"
        aria-label={label}
        value={text}
        onInput={(event) => set(event.currentTarget.value)}
      />
      {hasTimes && (
        <input
          class="input"
          type="time"
          aria-label={`${label}, time`}
          value={times[at]}
          onInput={(event) => setBoth({ ...times, [at]: event.currentTarget.value })}
        />
      )}
    </span>
  );
  return (
    <div class="exact-dates">
      {Calendar !== null && (
        <Calendar
          from={from}
          to={to}
          onChange={(begin, last) => {
            setFrom(begin);
            setTo(last);
          }}
        />
      )}
      {end("From", "from", from, setFrom)}
      {end("To", "to", to, setTo)}
      <Checkbox label="With times of day" isOn={hasTimes} onChange={setTimes} />
      <Button look="primary" disabled={!isGood} onClick={apply}>
        Show these dates
      </Button>
    </div>
  );
}

/** The calendar's code comes when it is first needed; until then, and without it, dates are typed. */
function useCalendar(): CalendarPart | null {
  const [part, setPart] = useState<{ Calendar: CalendarPart } | null>(null);
  useEffect(() => {
    let isHere = true;
    import("./calendar.tsx").then(
      (file) => isHere && setPart({ Calendar: file.default }),
      () => {},
    );
    return () => {
      isHere = false;
    };
  }, []);
  return part?.Calendar ?? null;
}
