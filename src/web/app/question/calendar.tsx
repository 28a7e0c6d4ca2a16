import "cally";
import { h } from "preact";
import { useEffect, useRef } from "preact/hooks";

interface CalendarProps {
  from: string;
  to: string;
  onChange(from: string, to: string): void;
}

/** Two months in which one picks a range of days. In a file of its own, since few need it. */
export default function Calendar({ from, to, onChange }: CalendarProps) {
  const ref = useRef<HTMLElement>(null);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    const element = ref.current;
    const tell = () => {
      const [begin, end] = ((element as unknown as { value: string }).value ?? "").split("/");
      if (begin && end) change.current(begin, end);
    };
    element?.addEventListener("change", tell);
    return () => element?.removeEventListener("change", tell);
  }, []);
  const range = { ref, class: "calendar", value: `${from}/${to}`, locale: "en-GB" };
  return h("calendar-range", range, arrow("previous", "←"), arrow("next", "→"), h("calendar-month", {}));
}

const arrow = (slot: string, sign: string) => (
  <span slot={slot} role="img" aria-label={`${slot === "next" ? "Next" : "Previous"} month`}>
    {sign}
  </span>
);
