import { Button, IconButton } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { DraftText } from "../parts/draftText.tsx";
import { More } from "../parts/section.tsx";
import type { CleaningRule, PathsFilter } from "./node.ts";

const MAX_RULES = 200;

interface CleaningProps {
  filter: PathsFilter;
  onChange(change: Partial<PathsFilter>): void;
}

/** Rules that make one step of many: those of the project, and further ones of this question. */
export function CleaningRules({ filter, onChange }: CleaningProps) {
  const rules = filter.localPathCleaningFilters ?? [];
  const set = (next: readonly CleaningRule[]) =>
    onChange({ localPathCleaningFilters: next.length > 0 ? next : undefined });
  return (
    <More title="Path cleaning" isSet={rules.length > 0 || filter.pathReplacements === true}>
      <Checkbox
        label="Use the rules of the project"
        isOn={filter.pathReplacements === true}
        onChange={(isOn) => onChange({ pathReplacements: isOn || undefined })}
      />
      {rules.map((rule, i) => (
        <div class="kind-rule" key={i}>
          <DraftText
            label="Regular expression"
            value={rule.regex}
            placeholder="\/users\/\d+"
            isCode
            onChange={(regex) => set(rules.map((one, at) => (at === i ? { ...one, regex } : one)))}
          />
          <DraftText
            label="Becomes"
            value={rule.alias}
            placeholder="/users/:id"
            isCode
            onChange={(alias) => set(rules.map((one, at) => (at === i ? { ...one, alias } : one)))}
          />
          <IconButton label="Remove rule" icon="close" onClick={() => set(rules.filter((_, at) => at !== i))} />
        </div>
      ))}
      {rules.length < MAX_RULES && (
        <Button look="quiet" icon="plus" onClick={() => set([...rules, { regex: "", alias: "" }])}>
          Add rule
        </Button>
      )}
    </More>
  );
}
