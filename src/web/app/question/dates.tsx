import { useRef, useState } from "preact/hooks";
import { Button } from "../ui/button.tsx";
import { Popover } from "../ui/popover.tsx";
import { dateOfShift, dateRangeText, PRESETS, presetOf, shiftOf } from "./dateText.ts";
import { Ago } from "./dateValue.tsx";
import { ExactDates } from "./exactDates.tsx";
import { useFocusAtFirst } from "./focusAtFirst.ts";
import type { DateRange } from "./types.ts";

interface DatesProps {
  value: DateRange | undefined;
  onChange(value: DateRange): void;
  /** What an absent date means: "Last 7 days". */
  fallback?: string;
}

/** The range of dates: common ones, "last n units", from a calendar. */
export function Dates({ value, onChange, fallback = "Last 7 days" }: DatesProps) {
  const anchor = useRef<HTMLSpanElement>(null);
  const [isOpen, setOpen] = useState(false);
  const close = () => {
    setOpen(false);
    anchor.current?.querySelector("button")?.focus();
  };
  // What else a range has (such as leaving out what is not complete) stays.
  const put = ({ date_from, date_to = null, explicitDate }: DateRange) => {
    const { explicitDate: _, ...rest } = value ?? {};
    onChange({ ...rest, date_from, date_to, ...(explicitDate && { explicitDate }) });
  };
  return (
    <span ref={anchor} class="dates" tabIndex={-1}>
      <Button icon="calendar" aria-haspopup="dialog" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {dateRangeText(value, fallback)}
      </Button>
      {isOpen && (
        <Popover anchor={anchor} onClose={close} label="Dates" class="dates-box">
          <DatesPanel value={value ?? {}} onChange={put} onDone={close} />
        </Popover>
      )}
    </span>
  );
}

interface DatesPanelProps {
  value: DateRange;
  onChange(value: DateRange): void;
  onDone(): void;
}

function DatesPanel({ value, onChange, onDone }: DatesPanelProps) {
  const preset = presetOf(value);
  const shift = value.date_to ? null : shiftOf(value.date_from);
  const [isExact, setExact] = useState(preset === undefined && shift === null && !!value.date_from);
  const first = useFocusAtFirst<HTMLButtonElement>();
  return (
    <>
      <fieldset class="dates-presets" onKeyDown={walk}>
        <legend class="unseen">Common ranges</legend>
        {PRESETS.map((one, index) => (
          <button
            key={one.label}
            ref={one === preset || (preset === undefined && index === 0) ? first : undefined}
            type="button"
            class={one === preset ? "chosen" : undefined}
            aria-pressed={one === preset}
            onClick={() => {
              onChange(one);
              onDone();
            }}
          >
            {one.label}
          </button>
        ))}
      </fieldset>
      <div class="dates-more">
        <div class="dates-line">
          <span>In the last</span>
          <Ago shift={shift} onChange={(next) => next !== null && onChange({ date_from: dateOfShift(next) })} />
        </div>
        {isExact ? (
          <ExactDates value={value} onChange={onChange} onDone={onDone} />
        ) : (
          <Button look="quiet" icon="calendar" onClick={() => setExact(true)}>
            Pick in a calendar
          </Button>
        )}
      </div>
    </>
  );
}

/** Arrows go through the ranges, as in a menu. */
function walk(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = Array.from(event.currentTarget.querySelectorAll("button"));
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  all[(at + step + all.length) % all.length]?.focus();
}
