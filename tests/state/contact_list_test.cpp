#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "rigor/contacts.h"

namespace rigor {
namespace {

Contact contact(std::uint32_t b) {
  Contact c;
  c.a = {0, 1}, c.b = {b, 1}, c.count = 1;
  c.points[0].normal_impulse = b;
  return c;
}

std::vector<std::uint32_t> bodies(const ContactList& list) {
  std::vector<std::uint32_t> all;
  for (const Contact& c : list) all.push_back(c.b.index);
  return all;
}

TEST(ContactList, ContactsStayWhereTheyAreWhileOthersComeAndGo) {
  ContactList list;
  for (std::uint32_t b = 1; b <= 6; ++b) list.push_back(contact(b));
  const Contact *third = &list[2], *last = &list[5];
  list.begin_next();
  for (const std::uint32_t before : {0U, 2U, ContactList::kNew, 5U}) list.append_next(before);
  list.next(2) = contact(4);
  EXPECT_EQ(list[1].b.index, 2U);  // of the list that is there until the next one is complete
  list.finish_next();
  EXPECT_EQ(bodies(list), (std::vector<std::uint32_t>{1, 3, 4, 6}));
  EXPECT_EQ(&list[1], third);
  EXPECT_EQ(&list[3], last);
}

TEST(ContactList, APlaceIsUsedAgainWhenTheListThatHadItIsGone) {
  ContactList list;
  list.push_back(contact(1)), list.push_back(contact(2));
  const Contact* first = &list[0];
  list.begin_next();
  list.append_next(1);
  list.append_next(ContactList::kNew);
  EXPECT_NE(&list.next(1), first);  // the old contents may still be read
  list.next(1) = contact(3);
  list.finish_next();
  EXPECT_EQ(bodies(list), (std::vector<std::uint32_t>{2, 3}));
}

TEST(ContactList, StaysTheSameWhenItIsPutInOrder) {
  ContactList list;
  for (std::uint32_t b = 0; b < 100; ++b) list.push_back(contact(2 * b));
  for (std::uint32_t step = 0; step < 300; ++step) {  // every step one goes and one comes
    const std::uint32_t gone = 37 * step % 100;
    std::vector<std::uint32_t> expected = bodies(list);
    expected.erase(expected.begin() + gone);
    expected.insert(expected.begin() + gone, 1000 + step);
    list.begin_next();
    for (std::uint32_t k = 0; k < 100; ++k) list.append_next(k == gone ? ContactList::kNew : k);
    list.next(gone) = contact(1000 + step);
    list.finish_next();
    ASSERT_EQ(bodies(list), expected);
    for (const Contact& c : list) ASSERT_EQ(c.points[0].normal_impulse, c.b.index);
  }
}

TEST(ContactList, IsARangeAsVectorsAre) {
  ContactList list;
  for (const std::uint32_t b : {3U, 1U, 2U}) list.push_back(contact(b));
  EXPECT_FALSE(std::is_sorted(list.begin(), list.end(), [](auto& x, auto& y) { return x.b.index < y.b.index; }));
  const auto found = std::find_if(list.begin(), list.end(), [](const Contact& c) { return c.b.index == 1; });
  EXPECT_EQ(found - list.begin(), 1);
  EXPECT_EQ(list.end()[-1].b.index, 2U);
  EXPECT_EQ(list.at(2).b.index, 2U);
  EXPECT_THROW(list.at(3), std::out_of_range);
  const ContactList copy = list;
  list.clear();
  EXPECT_TRUE(list.empty());
  EXPECT_EQ(bodies(copy), (std::vector<std::uint32_t>{3, 1, 2}));
}

}  // namespace
}  // namespace rigor
