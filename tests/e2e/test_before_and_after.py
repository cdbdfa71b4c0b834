"""From the invitation to the last page with all a campaign can ask: form, consent, practice, calibration."""

import re

from playwright.sync_api import expect

from tests.e2e.raters import expect_title, press, tab_to

PRACTICE = (
    "source,translation,low,high,why\n"
    '"It is late.","Es ist spät.",80,100,"**Nothing** is missing."\n'
    '"He came home.","Er ging fort.",1,30,"It says the *opposite*."\n'
)
CALIBRATION = 'source,translation,low,high\n"Good night.","Gute Nacht.",70,100\n'


def make(server, name, protocol, *arguments, raters=1):
    source = server.write(f"{name}.source", [f"Lamp {n} is lit at dusk." for n in range(2)])
    output = server.write(f"{name}.output", [f"Lampe {n} wird abends angezündet." for n in range(2)])
    other = server.write(f"{name}.other", [f"Lampe {n} brennt am Abend." for n in range(2)])
    return server.campaign(
        name, "--protocol", protocol, "--languages", "en-de", "--source", source,
        "--output", f"A={output}", "--output", f"B={other}", "--judgements", "1", *arguments, raters=raters,
    )  # fmt: skip


def written(server, name, content):
    path = server.folder / name
    path.write_text(content)
    return str(path)


def open_by_keys(page, link):
    page.goto(link)
    tab_to(page, "main button")
    press(page, "Enter")


def agree_by_keys(page):
    page.wait_for_url("**/consent")
    tab_to(page, "input[type=checkbox]")
    press(page, "Space")
    tab_to(page, "main button")
    press(page, "Enter")


def test_everything_before_and_after_by_keyboard_alone(server, new_page):
    links = make(
        server, "Lamps", "source_da", "--require", "paper", "--segments", "1",
        "--practice", written(server, "lamps.csv", PRACTICE),
        "--calibration", written(server, "night.csv", CALIBRATION),
        "--return-url", "https://panel.invalid/done?cc={code}",
    )  # fmt: skip
    page = new_page()
    open_by_keys(page, links["R1"])
    page.wait_for_url("**/profile")
    tab_to(page, "[name=native_1]")
    page.keyboard.type("Germn")
    tab_to(page, "[name=fluent_1]")
    page.keyboard.type("English")
    press(page, "Enter")
    expect(page.locator("main")).to_contain_text("Did you mean “German”?")
    expect(page.locator("[name=fluent_1]")).to_have_value("English")
    tab_to(page, "[name=native_1]")
    press(page, "ControlOrMeta+a")
    page.keyboard.type("German")
    press(page, "Enter")
    agree_by_keys(page)
    expect_title(page, "Practice 1 of 2")
    press(page, *"90", "Enter")
    expect(page.locator("#told-title")).to_have_text("As expected")
    expect(page.locator("#told .prose strong")).to_have_text("Nothing")
    press(page, "Enter")
    expect_title(page, "Practice 2 of 2")
    expect(page.locator("#number")).to_have_value("")
    press(page, "Enter")  # nothing is set
    expect(page.locator("#message")).to_contain_text("Give a score first")
    press(page, *"70", "ArrowUp", "Enter")
    expect(page.locator("#told-title")).to_have_text("Others see this differently")
    expect(page.locator(".told-list")).to_contain_text("71")
    press(page, "Enter")
    expect_title(page, "Calibration 1 of 1")
    press(page, *"88", "Enter")
    expect(page.locator("h1")).to_have_text("Now it begins")
    expect(page.locator("[value=begin]")).to_be_focused()
    press(page, "Enter")
    expect_title(page, "Rate 1 of 2")
    press(page, *"55", "Enter")
    expect_title(page, "Rate 2 of 2")
    press(page, *"44", "Enter")
    page.wait_for_url("**/finish")
    code = page.locator(".code").text_content().strip()
    back = page.get_by_role("link", name="Go back to panel.invalid")
    expect(back).to_have_attribute("href", f"https://panel.invalid/done?cc={code}")
    assert not server.complaints()


def test_a_choice_is_practised_on_a_phone_from_right_to_left_and_again(server, new_page):
    content = 'left,right,choice,why\n"gut","schlecht gut",left,"Because."\n'
    links = make(server, "Phones", "pairwise_fluency", "--practice", written(server, "pair.csv", content))
    page = new_page(locale="ar", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.goto(links["R1"])
    page.locator("main button").tap()
    page.wait_for_url("**/consent")
    page.locator("[name=agree]").check()
    page.locator("main button").tap()
    page.wait_for_url("**/practice/")
    for _ in range(2):
        expect(page.locator("#texts p").first).to_have_text("gut")
        page.locator("#choices button[value=left]").tap()
        page.locator("#next").tap()
        expect(page.locator("#told-title.good")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        page.locator("#next").tap()
        expect(page.locator("[value=begin]")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        if page.locator("[value=repeat]").is_visible() and _ == 0:
            page.locator("[value=repeat]").tap()
            page.wait_for_url("**/practice/")
    page.locator("[value=begin]").tap()
    expect(page.locator("#choices")).to_be_visible()
    expect(page.locator("#counts")).to_contain_text("0")


def test_without_script_from_the_link_of_a_panel(server, new_page):
    make(
        server, "Script", "source_da", "--joins", "--ask-profile", "--segments", "1",
        "--practice", written(server, "plain.csv", PRACTICE),
    )  # fmt: skip
    link = server.manage("joining_link", "Script").strip()
    page = new_page(java_script_enabled=False)
    page.goto(f"{link}?PROLIFIC_PID=5f3c9a&STUDY_ID=s1&SESSION_ID=t1")
    page.get_by_role("button", name="Take part").click()
    page.wait_for_url("**/profile")
    page.locator("[name=native_1]").fill("Deutsch")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/consent")
    page.locator("[name=agree]").check()
    page.get_by_role("button", name="Begin").click()
    for score in ("85", "20"):
        page.wait_for_url("**/practice/")
        page.locator("#number").fill(score)
        page.get_by_role("button", name="See what is expected").click()
        expect(page.locator("#told-title")).to_have_text("As expected")
        page.locator("#next").click()
    page.get_by_role("button", name="Begin rating").click()
    for score in ("61", "62"):
        expect(page.locator("#number")).to_have_value("")
        page.locator("#number").fill(score)
        page.locator("#next").click()
    expect(page.locator(".code")).to_have_text(re.compile(r"\S{10,}"))
    # The same person elsewhere: straight to the end.
    other = new_page()
    other.goto(f"{link}?PROLIFIC_PID=5f3c9a&STUDY_ID=s1&SESSION_ID=t2")
    other.get_by_role("button", name="Take part").click()
    other.wait_for_url("**/finish")
    expect(other.locator(".code")).to_have_text(page.locator(".code").text_content().strip())
    assert not server.complaints()


def test_who_lacks_a_language_is_told_kindly(server, new_page):
    links = make(server, "Strict", "source_da", "--native", "target")
    page = new_page()
    page.goto(links["R1"])
    page.locator("main button").click()
    page.wait_for_url("**/profile")
    page.locator("[name=native_1]").fill("English")
    page.get_by_role("button", name="Go on").click()
    expect(page.get_by_role("alert")).to_contain_text("German as a native language")
    page.get_by_role("button", name="This is right now").click()
    expect(page.locator("h1")).to_have_text("Thank you for your interest")
    expect(page.locator("main")).to_contain_text("German as a native language")
    server.manage("admit_rater", "Strict", "R1", "--why", "a slip")
    page.goto(links["R1"])
    page.locator("main button").click()
    page.wait_for_url("**/profile")
    page.locator("[name=native_1]").fill("German")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_url("**/consent")
