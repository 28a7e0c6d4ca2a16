import { render } from "preact";
import { LocationProvider } from "preact-iso";
import { Pages, warm } from "./pages/routes.tsx";
import { Toasts } from "./ui/toast.tsx";

warm(location.pathname);
render(
  <LocationProvider>
    <Pages />
    <Toasts />
  </LocationProvider>,
  document.getElementById("app")!,
);
