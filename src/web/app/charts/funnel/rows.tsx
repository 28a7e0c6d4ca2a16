import { formatPercent } from "../../format/number.ts";
import { seriesColor } from "../parts/color.ts";
import { ChartPart } from "../parts/part.tsx";
import { StepFoot } from "./columns.tsx";
import type { FunnelFormProps } from "./form.ts";
import { stepNumbers } from "./numbers.ts";
import { pickWords } from "./stepTip.tsx";

/** Steps below each other: for narrow places and many steps. */
export function FunnelRows(props: FunnelFormProps) {
  const { steps, format } = props;
  return (
    <ol class="funnel-rows">
      {steps.map(({ label, groups }, step) => (
        <li key={`${step} ${label}`}>
          <div class="funnel-head">
            <span class="funnel-number" aria-hidden="true">
              {step + 1}
            </span>
            <bdi title={label}>{label}</bdi>
          </div>
          {groups.map((group, index) => (
            <GroupRow key={`${index} ${group.label}`} {...props} step={step} group={index} />
          ))}
          <StepFoot steps={steps} step={step} format={format} />
        </li>
      ))}
    </ol>
  );
}

function GroupRow({ steps, step, group, format, on, onPick }: FunnelFormProps & { step: number; group: number }) {
  const { count, dropped, fromFirst } = stepNumbers(steps, step, group);
  const { label, color } = steps[step]!.groups[group]!;
  const groups = steps[step]!.groups.length;
  const first = steps[0]?.groups[group]?.count ?? 0;
  const percent = (part: number) => `${first > 0 ? Math.min(1, part / first) * 100 : 0}%`;
  const reached = { step, group, isDropped: false };
  const lost = { step, group, isDropped: true };
  const row = step * groups + group;
  return (
    <div class="funnel-row">
      {groups > 1 && (
        <bdi class="funnel-group" title={label}>
          {label}
        </bdi>
      )}
      <div class="funnel-lane">
        <ChartPart
          at={`${row},0`}
          label={pickWords(steps, reached, format)}
          class="funnel-reached"
          style={{ width: percent(count), backgroundColor: seriesColor(color) }}
          onPick={onPick && count > 0 ? () => onPick(reached) : undefined}
          {...on(reached)}
        />
        {dropped > 0 && (
          <ChartPart
            at={`${row},1`}
            label={pickWords(steps, lost, format)}
            class="funnel-lost"
            style={{ width: percent(dropped) }}
            onPick={onPick && (() => onPick(lost))}
            {...on(lost)}
          />
        )}
      </div>
      {groups > 1 && <span class="funnel-share">{fromFirst === null ? "–" : formatPercent(fromFirst)}</span>}
    </div>
  );
}
