import { ApiError } from "../../../api/client.ts";
import { messageOf } from "../../../ui/notice.tsx";
import { useTask } from "../../../ui/task.ts";
import { toast } from "../../../ui/toast.tsx";

interface Saving {
  isBusy: boolean;
  /** What is wrong with a field, by the API. */
  problemOf(field: string): string | null;
  /** What is wrong, and of no field that was asked about. */
  problem: string | null;
  /** For `onSubmit` of the form. */
  submit(event: Event): Promise<void>;
}

/** Saves a form: says that it is done, and keeps what was wrong. `fields` are those that show their own problems. */
export function useSave(fields: readonly string[], save: () => Promise<unknown>, done: string): Saving {
  const { isBusy, error, run } = useTask();
  const attr = error instanceof ApiError && error.attr !== null && fields.includes(error.attr) ? error.attr : null;
  return {
    isBusy,
    problemOf: (field) => (field === attr ? messageOf(error) : null),
    problem: error === undefined || attr !== null ? null : messageOf(error),
    async submit(event) {
      event.preventDefault();
      if (await run(save)) toast(done);
    },
  };
}
