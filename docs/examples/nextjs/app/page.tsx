export default function Home() {
  return <><h1>An app</h1><p><a href="/account">Your account</a></p></>;
}
