import { formatDuration, formatPercent } from "../../format/number.ts";
import { seriesColor } from "../parts/color.ts";
import { ChartPart } from "../parts/part.tsx";
import { Swatch } from "../parts/tip.tsx";
import type { Format } from "../parts/types.ts";
import type { FunnelFormProps } from "./form.ts";
import { stepNumbers, sumNumbers } from "./numbers.ts";
import { pickWords } from "./stepTip.tsx";
import type { FunnelStep } from "./types.ts";

/** Steps beside each other, groups of a breakdown beside each other within a step. */
export function FunnelColumns(props: FunnelFormProps) {
  const { steps } = props;
  const names = steps[0]?.groups ?? [];
  return (
    <>
      {names.length > 1 && (
        <ul class="funnel-groups">
          {names.map(({ label, color }, index) => (
            <li key={`${index} ${label}`} title={label}>
              <Swatch color={seriesColor(color)} />
              <bdi>{label}</bdi>
            </li>
          ))}
        </ul>
      )}
      <ol class="funnel-columns">
        {steps.map(({ label, groups }, step) => (
          <li key={`${step} ${label}`} class="funnel-step">
            <div class="funnel-head">
              <span class="funnel-number" aria-hidden="true">
                {step + 1}
              </span>
              <bdi title={label}>{label}</bdi>
            </div>
            <div class="funnel-bars">
              {groups.map((group, index) => (
                <GroupBar key={`${index} ${group.label}`} {...props} step={step} group={index} />
              ))}
            </div>
            <StepFoot steps={steps} step={step} format={props.format} />
          </li>
        ))}
      </ol>
    </>
  );
}

function GroupBar({ steps, step, group, format, on, onPick }: FunnelFormProps & { step: number; group: number }) {
  const numbers = stepNumbers(steps, step, group);
  const first = steps[0]?.groups[group]?.count ?? 0;
  const share = (count: number) => (first > 0 ? Math.min(1, count / first) : 0);
  const groups = steps[step]!.groups.length;
  const reached = { step, group, isDropped: false };
  const lost = { step, group, isDropped: true };
  return (
    <div class="funnel-track">
      {numbers.dropped > 0 && (
        <ChartPart
          at={`0,${2 * (step * groups + group)}`}
          label={pickWords(steps, lost, format)}
          class="funnel-lost"
          style={{ height: `${share(numbers.dropped) * 100}%`, bottom: `${share(numbers.count) * 100}%` }}
          onPick={onPick && (() => onPick(lost))}
          {...on(lost)}
        />
      )}
      <ChartPart
        at={`${numbers.dropped > 0 ? 1 : 0},${2 * (step * groups + group)}`}
        label={pickWords(steps, reached, format)}
        class="funnel-reached"
        style={{
          height: `${share(numbers.count) * 100}%`,
          minHeight: numbers.count > 0 ? "2px" : "0",
          backgroundColor: seriesColor(steps[step]!.groups[group]!.color),
        }}
        onPick={onPick && numbers.count > 0 ? () => onPick(reached) : undefined}
        {...on(reached)}
      />
    </div>
  );
}

/** The numbers below a step, of all groups together. */
export function StepFoot({ steps, step, format }: { steps: readonly FunnelStep[]; step: number; format: Format }) {
  const { count, dropped, fromFirst, fromBefore } = sumNumbers(steps, step);
  const { groups } = steps[step]!;
  const medianS = groups.length === 1 ? groups[0]!.medianS : null;
  return (
    <div class="funnel-foot">
      <div>
        <strong>{fromFirst === null ? "–" : formatPercent(fromFirst)}</strong> {format(count)}
      </div>
      {step > 0 && (
        <div class="funnel-note">
          {step > 1 && fromBefore !== null && <div>{formatPercent(fromBefore)} of the step before</div>}
          {dropped > 0 && fromBefore !== null && (
            <div>
              {format(dropped)} dropped off ({formatPercent(1 - fromBefore)})
            </div>
          )}
          {medianS !== null && count > 0 && <div>median {formatDuration(medianS)}</div>}
        </div>
      )}
    </div>
  );
}
