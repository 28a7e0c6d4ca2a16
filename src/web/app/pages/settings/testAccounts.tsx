import { useState } from "preact/hooks";
import { groupsOf } from "../../question/filters.ts";
import { PropertyFilters } from "../../question/propertyFilters.tsx";
import type { PropertyFilter } from "../../question/types.ts";
import { changeEnvironment, type Environment } from "../../session/environment.ts";
import { may } from "../../session/rights.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/field.tsx";
import { Problem } from "../../ui/notice.tsx";
import { useSave } from "../parts/form/useSave.ts";
import { LeftOut } from "./leftOut.tsx";

/** What insights leave out with "Exclude test accounts". */
export function TestAccounts({ environment }: { environment: Environment }) {
  const saved = environment.test_account_filters as unknown as readonly PropertyFilter[];
  const [filters, setFilters] = useState(saved);
  const [isDefault, setDefault] = useState(environment.test_account_filters_default_checked === true);
  const form = useSave(
    [],
    () =>
      changeEnvironment(environment.id, {
        test_account_filters: filters as never,
        test_account_filters_default_checked: isDefault,
      }),
    "Saved",
  );
  const isSame =
    JSON.stringify(filters) === JSON.stringify(saved) &&
    isDefault === (environment.test_account_filters_default_checked === true);
  return (
    <form class="form" onSubmit={form.submit}>
      <PropertyFilters
        projectId={environment.id}
        value={filters}
        isFlat
        isAnd
        onChange={(group) => setFilters(groupsOf(group).values.flatMap(({ values }) => values))}
      />
      {may("query:read") && <LeftOut projectId={environment.id} filters={filters} />}
      <Checkbox label="Exclude them in new insights" isOn={isDefault} onChange={setDefault} />
      {form.problem !== null && <Problem error={form.problem} />}
      {may("project:write") && (
        <p>
          <Button look="primary" type="submit" isBusy={form.isBusy} disabled={isSame}>
            Save
          </Button>
        </p>
      )}
    </form>
  );
}
