import { Dates } from "../../question/dates.tsx";
import { IntervalSelect } from "../../question/intervals.tsx";
import { Checkbox } from "../../ui/field.tsx";
import type { FormProps } from "../kind.ts";
import { type LifecycleNode, STATUS, STATUSES, shownStatuses, withStatus } from "./node.ts";

/** Dates, intervals, and which of the four are seen. */
export function LifecycleOptions({ node, onChange }: FormProps<LifecycleNode>) {
  const shown = shownStatuses(node);
  return (
    <>
      <Dates value={node.dateRange} fallback="Last 7 days" onChange={(dateRange) => onChange({ ...node, dateRange })} />
      <IntervalSelect value={node.interval} onChange={(interval) => onChange({ ...node, interval })} />
      {STATUSES.map((status) => (
        <span
          key={status}
          class="lifecycle-toggle"
          title={STATUS[status].hint}
          style={{ "--status": `var(--series-${STATUS[status].color + 1})` }}
        >
          <Checkbox
            label={STATUS[status].label}
            isOn={shown.includes(status)}
            onChange={(isOn) => onChange(withStatus(node, status, isOn))}
          />
        </span>
      ))}
    </>
  );
}
