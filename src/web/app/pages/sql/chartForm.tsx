import type { QueryAnswer } from "../../api/node.ts";
import { type ChartWish, SQL_DISPLAYS, type SqlDisplay } from "../../kinds/view/sql/chartWish.ts";
import { columnsOf, planOf } from "../../kinds/view/sql/columns.ts";
import { Checkbox, Select } from "../../ui/field.tsx";

interface ChartFormProps {
  answer: QueryAnswer;
  chart: ChartWish;
  onChange(chart: ChartWish): void;
}

const DISPLAYS = SQL_DISPLAYS.filter(({ value }) => value !== "ActionsTable");
const NONE = "";

/** Which columns a chart has, and in which form. */
export function ChartForm({ answer, chart, onChange }: ChartFormProps) {
  const columns = columnsOf(answer);
  const plan = planOf(columns, Array.isArray(answer.results) ? answer.results.length : 0, chart);
  if (plan === null) return null;
  const names = columns.map(({ name }) => ({ value: name, label: name }));
  const drawn = plan.y.map(({ name }) => name);
  const numbers = columns.filter(({ kind, name }) => kind === "number" && name !== plan.x?.name);
  const toggle = (name: string, isOn: boolean) => {
    const next = isOn ? [...drawn, name] : drawn.filter((one) => one !== name);
    if (next.length > 0) onChange({ ...chart, y: next });
  };
  const splits = [
    { value: NONE, label: "Nothing" },
    ...names.filter(({ value }) => value !== plan.x?.name && !drawn.includes(value)),
  ];
  return (
    <div class="sql-chart-form">
      <Select
        label="Chart"
        isLabelled
        value={plan.display as SqlDisplay}
        choices={DISPLAYS}
        onChange={(display) => onChange({ ...chart, display })}
      />
      {plan.display !== "BoldNumber" && plan.x !== null && (
        <Select
          label="Across"
          isLabelled
          value={plan.x.name}
          choices={names}
          onChange={(x) => onChange({ ...chart, x })}
        />
      )}
      {plan.display !== "BoldNumber" && plan.display !== "ActionsBarValue" && splits.length > 1 && (
        <Select
          label="Split by"
          isLabelled
          value={plan.by?.name ?? NONE}
          choices={splits}
          onChange={(by) => onChange({ ...chart, by })}
        />
      )}
      {numbers.length > 1 && (
        <fieldset class="sql-values">
          <legend>Values</legend>
          {numbers.map(({ name }) => (
            <Checkbox key={name} label={name} isOn={drawn.includes(name)} onChange={(isOn) => toggle(name, isOn)} />
          ))}
        </fieldset>
      )}
    </div>
  );
}
