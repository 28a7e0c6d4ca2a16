import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { Pages, warm } from "./pages/routes.tsx";
import { Toasts } from "./ui/toast.tsx";

/** Only those that use keys need it. Where it does not load, the next key tries again. */
function keepFocusByKeys(): void {
  const load = () => import("./ui/keepFocus.ts").then(({ keepFocus }) => keepFocus(), keepFocusByKeys);
  addEventListener("keydown", load, { once: true });
}

keepFocusByKeys();
warm(location.pathname);
render(
  <LocationProvider>
    <Pages />
    <Toasts />
  </LocationProvider>,
  document.getElementById("app")!,
);
