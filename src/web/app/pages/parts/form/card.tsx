import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useTitle } from "../../../shell/title.ts";

/** A page before there is a session: one thing in the middle. */
export function Card({ title, children }: { title: string; children: ComponentChildren }) {
  useTitle(title);
  return (
    <main class="card-page">
      <div class="card">
        <img src="/assets/icon.svg" alt="Weir" width={32} height={32} />
        <h1>{title}</h1>
        {children}
      </div>
    </main>
  );
}

/** The form whose first empty field has the focus when it is shown. */
export function useFocusedForm() {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const fields = Array.from(form.current?.querySelectorAll("input") ?? []);
    (fields.find((field) => field.value === "" && !field.readOnly) ?? fields[0])?.focus();
  }, []);
  return form;
}
