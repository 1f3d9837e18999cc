#!/usr/bin/env python3
"""scripts/unity_groups.py SIZE FILE...: divides sources into groups that can be compiled as one file each.

Prints one line "GROUP FILE" for each source. A group has at most SIZE files, of which no two define the same
macro or the same name in an anonymous namespace. Names are found by regular expressions, not by a parser: a collision that
they miss is noticed by cmake/unity_compile, which then compiles the files of that group one by one. Two kinds of files are left out:
those that include themselves again for each instruction set (Highway), and those with a local name that a header declares as well,
which would be ambiguous for the other files.
"""
import pathlib
import re
import sys


def without_comments_and_strings(text):
    text = re.sub(r'R"(\w*)\((.*?)\)\1"', '""', text, flags=re.S)
    text = re.sub(r'//[^\n]*|/\*.*?\*/', '', text, flags=re.S)
    text = re.sub(r'"(\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"'(\\.|[^'\\\n])+'", '0', text)


def declarations(text, begin):
    """The text of a namespace whose brace opens before `begin`, with the bodies in braces cut out."""
    depth, cut = 1, []
    for character in text[begin:]:
        depth += (character == '{') - (character == '}')
        if depth == 0:
            break
        if depth == 1:
            cut.append(';' if character == '}' else character)
        elif depth == 2 and character == '{':
            cut.append('{')
    return ''.join(cut).split(';')


def declared_name(text):
    found = re.match(r'(?:template\s*<[^{]*>\s*)?(?:struct|class|enum(?:\s+class)?|union|using|namespace|concept)\s+(\w+)', text)
    found = found or re.search(r'(\w+)\s*(?:\[[^\]]*\]\s*)*[({=]', text) or re.search(r'(\w+)\s*$', text)
    return found.group(1) if found else None


def local_names(text):
    names = set(re.findall(r'^\s*#\s*define\s+(\w+)', text, re.M))
    text = re.sub(r'^\s*#.*$', '', text, flags=re.M)
    for namespace in re.finditer(r'namespace\s*\{', text):
        names.update(declared_name(part.strip()) for part in declarations(text, namespace.end()))
    names.update(re.findall(r'^(?:static|inline)\s[^;{(]*?(\w+)\s*[({=;]', text, re.M))
    names.update(re.findall(r'^namespace\s+(\w+)\s*=', text, re.M))
    # Test suites with the same fixture stand in one file; macros of GoogleTest declare no name that could collide.
    return names - {None, 'TEST', 'TEST_F', 'TEST_P', 'TYPED_TEST', 'INSTANTIATE_TEST_SUITE_P', 'TYPED_TEST_SUITE'}


def header_names(with_tests):
    root, names = pathlib.Path(__file__).resolve().parent.parent, set()
    for folder in ['include', 'src'] + ['tests'] * with_tests:
        for path in (root / folder).rglob('*.h'):
            text = path.read_text(encoding='utf-8')
            names.update(re.findall(r'^(?:struct|class|enum class|enum|using|namespace)\s+(\w+)', text, re.M))
            names.update(re.findall(r'^(?:inline |constexpr |const )+[\w:<>]+ (\w+)', text, re.M))
    return names


def main():
    size = int(sys.argv[1])
    public = header_names(any('/tests/' in path for path in sys.argv[2:]))
    groups = []  # names, number of files
    for path in sorted(sys.argv[2:]):
        with open(path, encoding='utf-8') as file:
            text = without_comments_and_strings(file.read())
        if 'HWY_TARGET_INCLUDE' in text or 'foreach_target' in text:
            continue
        names = local_names(text)
        if names & public:
            continue
        for number, group in enumerate(groups):
            if group[1] < size and not group[0] & names:
                break
        else:
            number, group = len(groups), [set(), 0]
            groups.append(group)
        group[0] |= names
        group[1] += 1
        print(f'{number:04} {path}')


main()
